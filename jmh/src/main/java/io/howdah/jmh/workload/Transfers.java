package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Transfers between accounts of one word each, by many virtual threads that never pause; beside
 * them a thread that adds up all accounts, and two that answer each other by {@code retry}.
 */
public final class Transfers {

  private static final int ACCOUNTS = 1 << 16;
  private static final long OPENING_BALANCE = 1000;
  private static final int READER = 0;
  private static final int PING = 1;
  private static final int PONG = 2;

  /** Threads beside those that transfer. */
  private static final int OTHERS = 3;

  /** How often a thread that waits looks whether it is time to end. */
  private static final Duration LOOK_FOR_END = Duration.ofSeconds(2);

  private final Store store;
  private final long accounts;
  private final long ball;

  /** Where a thread notes how long it has waited: the longest time between two of its turns. */
  private long[] longest = {};

  /** The most commits of others between two of a thread. */
  private long[] mostBetween = {};

  /** A commit before those of a run. */
  private volatile long firstLsn;

  /** When the first thread was started. */
  private volatile long begun;

  private volatile boolean stop;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * What the threads did.
   *
   * @param perSecond transfers a second
   * @param withoutTurn how many threads have transferred nothing
   * @param longestNanos the longest time in which a thread has transferred nothing
   * @param longestTransfers the most transfers of others between two of one thread, which does not
   *     depend on the load of the machine
   * @param readNanos the longest time that it took to add up all accounts
   * @param answerNanos the longest time until a thread was answered that waits by {@code retry}
   */
  public record Figures(
      double perSecond,
      long withoutTurn,
      long longestNanos,
      long longestTransfers,
      long readNanos,
      long answerNanos) {}

  private Transfers(Store store, long accounts, long ball) {
    this.store = store;
    this.accounts = accounts;
    this.ball = ball;
  }

  /** Opens the accounts. */
  public static Transfers create(Store store) {
    return store.call(
        tx -> {
          long accounts = tx.allocate(ACCOUNTS * 8L);
          for (int i = 0; i < ACCOUNTS; i++) {
            tx.putLong(accounts + 8L * i, OPENING_BALANCE);
          }
          return new Transfers(store, accounts, tx.allocate(64));
        });
  }

  /**
   * Transfers for a while.
   *
   * @param threads how many virtual threads transfer
   * @param isAccompanied whether others read and wait beside them
   * @throws IllegalStateException if the accounts do not add up
   */
  public Figures run(TxOptions how, int threads, boolean isAccompanied, long nanos)
      throws Exception {
    int others = isAccompanied ? OTHERS : 0;
    long[] waits = new long[threads + others];
    long[] counts = new long[threads + others];
    long[] between = new long[threads + others];
    mostBetween = between;
    firstLsn = store.run(how, tx -> tx.putLong(ball, tx.getLong(ball)));
    longest = waits;
    stop = false;
    failure.set(null);
    List<Thread> team = new ArrayList<>(waits.length);
    // Without a common start: threads that let each other start are in the queue of one carrier.
    begun = System.nanoTime();
    for (int i = 0; i < waits.length; i++) {
      int thread = i;
      team.add(
          Thread.ofVirtual()
              .name("transfers-" + i)
              .start(
                  () -> {
                    try {
                      counts[thread] = thread >= others ? transfer(how, thread) : accompany(thread);
                    } catch (Throwable t) {
                      failure.compareAndSet(null, t);
                    }
                  }));
    }
    Thread.sleep(Duration.ofNanos(nanos));
    long took = System.nanoTime() - begun;
    stop = true;
    for (Thread thread : team) {
      thread.join();
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("a thread failed", thrown);
    }
    long transfers = 0;
    long without = 0;
    long slowest = 0;
    long most = 0;
    for (int i = others; i < counts.length; i++) {
      transfers += counts[i];
      without += counts[i] == 0 ? 1 : 0;
      slowest = Math.max(slowest, counts[i] == 0 ? took : waits[i]);
      most = Math.max(most, between[i]);
    }
    requireSum();
    return new Figures(
        transfers * 1e9 / took,
        without,
        slowest,
        without > 0 ? transfers : most,
        isAccompanied ? waits[READER] : 0,
        isAccompanied ? Math.max(waits[PING], waits[PONG]) : 0);
  }

  private long accompany(int thread) {
    return switch (thread) {
      case READER -> read();
      case PING -> answer(thread, 0);
      default -> answer(thread, 1);
    };
  }

  private long transfer(TxOptions how, int thread) {
    SplittableRandom random = new SplittableRandom(thread);
    long last = begun;
    long lastLsn = firstLsn;
    long most = 0;
    long max = 0;
    long count = 0;
    while (!stop) {
      long from = accounts + 8L * random.nextInt(ACCOUNTS);
      long to = accounts + 8L * random.nextInt(ACCOUNTS);
      long lsn =
          store.run(
              how,
              tx -> {
                tx.putLong(from, tx.getLong(from) - 1);
                tx.putLong(to, tx.getLong(to) + 1);
              });
      count++;
      long now = System.nanoTime();
      max = Math.max(max, now - last);
      last = now;
      most = Math.max(most, lsn - lastLsn);
      lastLsn = lsn;
    }
    mostBetween[thread] = most;
    longest[thread] = Math.max(max, count == 0 ? 0 : System.nanoTime() - last);
    return count;
  }

  private long read() {
    long count = 0;
    long max = 0;
    while (!stop || count == 0) {
      long begun = System.nanoTime();
      requireSum();
      count++;
      max = Math.max(max, System.nanoTime() - begun);
    }
    longest[READER] = max;
    return count;
  }

  private void requireSum() {
    long sum =
        store.read(
            TxOptions.async(),
            tx -> {
              long found = 0;
              for (int i = 0; i < ACCOUNTS; i++) {
                found += tx.getLong(accounts + 8L * i);
              }
              return found;
            });
    if (sum != ACCOUNTS * OPENING_BALANCE) {
      throw new IllegalStateException(
          "the accounts add up to " + sum + ", not " + ACCOUNTS * OPENING_BALANCE);
    }
  }

  /** Waits for the other one, and answers. */
  private long answer(int thread, int parity) {
    long count = 0;
    long max = 0;
    while (!stop) {
      long begun = System.nanoTime();
      store.run(
          TxOptions.async(),
          tx -> {
            long at = tx.getLong(ball);
            if ((at & 1) == parity) {
              tx.putLong(ball, at + 1);
            } else if (!stop) {
              throw tx.retry(LOOK_FOR_END);
            }
          });
      count++;
      max = Math.max(max, System.nanoTime() - begun);
    }
    longest[thread] = max;
    return count;
  }
}
