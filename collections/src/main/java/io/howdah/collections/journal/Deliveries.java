package io.howdah.collections.journal;

import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.report.ProgramLog;
import io.howdah.txn.words.Transactions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;

/** The subscriptions of a store. Thread-safe. */
public final class Deliveries {

  private static final long CLOSE_NANOS = 10_000_000_000L;

  private final Transactions transactions;
  private final ProgramLog programLog;
  private final Set<Delivery<?, ?>> open = new LinkedHashSet<>(); // guarded by this
  private final LongAdder ended = new LongAdder();
  private boolean isClosed; // guarded by this

  /** Creates those of a store, without one. */
  public Deliveries(Transactions transactions, ProgramLog programLog) {
    this.transactions = transactions;
    this.programLog = programLog;
  }

  Transactions transactions() {
    return transactions;
  }

  Execution execution() {
    return transactions.execution();
  }

  ProgramLog programLog() {
    return programLog;
  }

  /** Starts a subscription, and returns it. */
  synchronized <K, V> Delivery<K, V> add(Delivery<K, V> delivery) {
    transactions.requireOpen();
    if (isClosed) {
      throw new StoreClosedException("the store is being closed");
    }
    delivery.start();
    open.add(delivery);
    return delivery;
  }

  synchronized void remove(Delivery<?, ?> delivery) {
    open.remove(delivery);
  }

  private synchronized List<Delivery<?, ?>> closeAll() {
    isClosed = true;
    return open();
  }

  private synchronized List<Delivery<?, ?>> open() {
    return List.copyOf(open);
  }

  /** Counts a subscription that has ended by itself. */
  void endedByItself() {
    ended.increment();
  }

  /** Returns how many subscriptions have ended by themselves since the store was opened. */
  public long ended() {
    return ended.sum();
  }

  /** Returns how many subscriptions there are. */
  public synchronized int count() {
    return open.size();
  }

  /**
   * Returns how many changes the slowest subscription has not taken that are committed; 0 without a
   * subscription. Reads memory as it is, so the number may be wrong while a journal is dropped.
   *
   * @param word reads a word of the region
   */
  public long lag(LongUnaryOperator word) {
    return open().stream().mapToLong(each -> each.lag(word)).max().orElse(0);
  }

  /** Ends all subscriptions, and waits for their listeners; ten seconds at most. */
  public void close() {
    List<Delivery<?, ?>> all = closeAll();
    all.forEach(Delivery::endByStore);
    long started = execution().nanoTime();
    for (Delivery<?, ?> delivery : all) {
      delivery.await(CLOSE_NANOS - (execution().nanoTime() - started));
    }
  }
}
