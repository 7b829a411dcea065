package io.howdah.txn;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one transaction runs.
 *
 * @param durability what it has survived when it returns
 * @param isReadOnly whether writing is refused, with {@link
 *     io.howdah.core.TransactionStateException}
 * @param isIrrevocable whether no other transaction commits while it runs, so that its body runs
 *     once and may do what cannot be repeated; all other commits wait for it, so keep it short
 * @param timeLimit how long the transaction may take to come to its commit, waits and repetitions
 *     included, or null for no limit. Past it the body's next call, the commit, or any wait throws
 *     {@link TransactionTimeoutException}, and nothing of the transaction happened: waits for an
 *     irrevocable transaction, or to become one, for a partition of the log, for space in it, for a
 *     checkpoint of a log at its limit, and in {@link Tx#retry}. It is noticed within a few
 *     milliseconds. What is left of the limit behind the commit bounds the wait for durability,
 *     beside {@code StoreOptions.durabilityTimeout}: it ends with {@code NotYetDurableException},
 *     and the transaction has happened. Not covered are a body that makes no call (nothing of it is
 *     locked, so it hinders nobody) and work that the transaction does itself: reading data into
 *     memory that a recovery has left in the log, and the growth of maps and sets after the commit
 */
public record TxOptions(
    Durability durability,
    boolean isReadOnly,
    boolean isIrrevocable,
    @Nullable Duration timeLimit) {

  // Those of most transactions, so that asking for them allocates nothing.
  private static final TxOptions SYNC = ordinary(Durability.SYNC, false);
  private static final TxOptions SYNC_READ = ordinary(Durability.SYNC, true);
  private static final TxOptions PARTITION = ordinary(Durability.PARTITION, false);
  private static final TxOptions PARTITION_READ = ordinary(Durability.PARTITION, true);
  private static final TxOptions ASYNC = ordinary(Durability.ASYNC, false);
  private static final TxOptions ASYNC_READ = ordinary(Durability.ASYNC, true);

  private static TxOptions ordinary(Durability durability, boolean isReadOnly) {
    return new TxOptions(durability, isReadOnly, false, null);
  }

  /** Checks that all is there. */
  public TxOptions {
    Objects.requireNonNull(durability, "durability");
    if (timeLimit != null && (timeLimit.isNegative() || timeLimit.isZero())) {
      throw new IllegalArgumentException("a time limit is longer than 0, not " + timeLimit);
    }
  }

  /** Returns options for an ordinary transaction. */
  public static TxOptions of(Durability durability) {
    return switch (durability) {
      case SYNC -> SYNC;
      case PARTITION -> PARTITION;
      case ASYNC -> ASYNC;
    };
  }

  /** Returns these options for a transaction that does not write. */
  public TxOptions readOnly() {
    if (isReadOnly) {
      return this;
    }
    if (isIrrevocable || timeLimit != null) {
      return new TxOptions(durability, true, isIrrevocable, timeLimit);
    }
    return switch (durability) {
      case SYNC -> SYNC_READ;
      case PARTITION -> PARTITION_READ;
      case ASYNC -> ASYNC_READ;
    };
  }

  /** Returns these options for a transaction whose body runs once. */
  public TxOptions irrevocable() {
    return new TxOptions(durability, isReadOnly, true, timeLimit);
  }

  /** Returns these options for a transaction that may take so long. */
  public TxOptions within(Duration limit) {
    return new TxOptions(durability, isReadOnly, isIrrevocable, limit);
  }
}
