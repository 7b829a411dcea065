package io.howdah.txn;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Several transactions of one thread that become durable together: each commits at once, and one
 * wait at the end covers them all. Hathi's split-phase commit with the wait at the closing brace:
 *
 * <pre>{@code
 * try (DurableScope scope = store.durable(Durability.PARTITION)) {
 *   for (Order order : orders) {
 *     scope.run(tx -> book(tx, order));
 *   }
 * } // here all of them survive a power cut
 * }</pre>
 *
 * <p>The transactions are no unit: a crash inside the scope leaves some of them. An exception from
 * a body comes out of {@link #run} and leaves the scope open. For one thread at a time.
 */
public final class DurableScope implements AutoCloseable {

  private final Store store;
  private final Durability durability;

  /** Where the newest record of each partition ends; 0 for none. */
  private final long[] ends;

  private long newestLsn;
  private long newestRead;
  private long newestDependency;

  DurableScope(Store store, Durability durability, int partitions) {
    this.store = store;
    this.durability = durability;
    this.ends = new long[partitions];
  }

  /**
   * Runs a transaction; it is not durable yet on return.
   *
   * @return its LSN; see {@link Commit#lsn}
   */
  public <E extends Exception> long run(TxBody<E> body) throws E {
    return store.runIn(this, body);
  }

  /** Runs a transaction and returns its body's result; it is not durable yet on return. */
  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    return store.callIn(this, body);
  }

  /** Returns what the end of the scope waits for. */
  Durability durability() {
    return durability;
  }

  /** Notes what a transaction has left, or read. */
  void add(TxContext context) {
    newestLsn = Math.max(newestLsn, context.lsn());
    int partition = context.recordPartition();
    if (partition == TxContext.NO_RECORD) {
      newestRead = Math.max(newestRead, context.lsn());
    } else {
      ends[partition] = Math.max(ends[partition], context.recordEnd());
      newestDependency = Math.max(newestDependency, context.recordDependency());
    }
  }

  /**
   * Waits until all transactions so far, and what they have read, are durable.
   *
   * @throws NotYetDurableException after {@link StoreOptions#durabilityTimeout}; they have
   *     committed all the same, and the scope may be awaited again
   */
  public void await() {
    if (!await(store.durabilityTimeoutNanos())) {
      throw store.notYetDurable(
          store.receipt(null, newestLsn, TxContext.NO_RECORD, 0, 0),
          NotYetDurableException.Subject.SCOPE,
          durability);
    }
  }

  /**
   * Waits until all transactions so far, and what they have read, are durable, for a limited time.
   *
   * @param timeout 0 or less only looks
   * @return whether they are
   */
  public boolean await(Duration timeout) {
    return await(TimeLimits.nanos(timeout));
  }

  private boolean await(long timeoutNanos) {
    boolean done =
        store.awaitAll(durability, newestLsn, newestRead, ends, newestDependency, timeoutNanos);
    if (done) {
      Arrays.fill(ends, 0);
      newestRead = 0;
    }
    return done;
  }

  /**
   * Waits like {@link #await()}.
   *
   * @throws NotYetDurableException after {@link StoreOptions#durabilityTimeout}
   */
  @Override
  public void close() {
    await();
  }
}
