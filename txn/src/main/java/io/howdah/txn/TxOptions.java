package io.howdah.txn;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one transaction runs: its durability, whether it may write, whether it runs irrevocably, and
 * how long it may take. What is not set comes from the store's options. Immutable, so that a
 * program can keep options in constants; the methods without parameters allocate nothing.
 *
 * <pre>{@code
 * store.run(async(), tx -> visits.put(tx, page, now));
 * store.run(sync().withTimeLimit(Duration.ofSeconds(2)), tx -> book(tx, order));
 * }</pre>
 */
public final class TxOptions {

  private static final TxOptions DEFAULTS = new TxOptions(null, false, false, null);
  private static final TxOptions SYNC = new TxOptions(Durability.SYNC, false, false, null);
  private static final TxOptions PARTITION =
      new TxOptions(Durability.PARTITION, false, false, null);
  private static final TxOptions ASYNC = new TxOptions(Durability.ASYNC, false, false, null);

  private final @Nullable Durability durability;
  private final boolean isReadOnly;
  private final boolean isIrrevocable;
  private final @Nullable Duration timeLimit;

  /** The same for a transaction that does not write. */
  private final TxOptions readOnly;

  private TxOptions(
      @Nullable Durability durability,
      boolean isReadOnly,
      boolean isIrrevocable,
      @Nullable Duration timeLimit) {
    this.durability = durability;
    this.isReadOnly = isReadOnly;
    this.isIrrevocable = isIrrevocable;
    this.timeLimit = timeLimit;
    this.readOnly = isReadOnly ? this : new TxOptions(durability, true, isIrrevocable, timeLimit);
  }

  /** Returns options for a transaction in the store's default mode. */
  public static TxOptions defaults() {
    return DEFAULTS;
  }

  /** Returns options for a transaction in {@link Durability#SYNC}. */
  public static TxOptions sync() {
    return SYNC;
  }

  /** Returns options for a transaction in {@link Durability#PARTITION}. */
  public static TxOptions partition() {
    return PARTITION;
  }

  /** Returns options for a transaction in {@link Durability#ASYNC}. */
  public static TxOptions async() {
    return ASYNC;
  }

  /** Returns options for a transaction in a mode. */
  public static TxOptions of(Durability durability) {
    return switch (durability) {
      case SYNC -> SYNC;
      case PARTITION -> PARTITION;
      case ASYNC -> ASYNC;
    };
  }

  /** Returns these options for a mode: what the transaction has survived when it returns. */
  public TxOptions withDurability(Durability durability) {
    return new TxOptions(
        Objects.requireNonNull(durability, "durability"), isReadOnly, isIrrevocable, timeLimit);
  }

  /** Returns the mode, or null for the store's default. */
  public @Nullable Durability durability() {
    return durability;
  }

  /**
   * Returns these options for a transaction in which writing is refused, with {@link
   * io.howdah.core.TransactionStateException}. {@code Store.read} sets this by itself; set it for a
   * body that reads and returns nothing, by {@code Store.run}, and for a session.
   */
  public TxOptions withReadOnly() {
    return readOnly;
  }

  /** Returns whether writing is refused. */
  public boolean isReadOnly() {
    return isReadOnly;
  }

  /**
   * Returns these options for an irrevocable transaction. No other transaction commits while it
   * runs, so its body runs once and may do what cannot be repeated. All other commits wait for it,
   * so keep it short.
   */
  public TxOptions withIrrevocable() {
    return new TxOptions(durability, isReadOnly, true, timeLimit);
  }

  /** Returns whether no other transaction commits while this one runs. */
  public boolean isIrrevocable() {
    return isIrrevocable;
  }

  /**
   * Returns these options for a transaction that has to reach its commit within a time, waits and
   * repetitions included. Past it the body's next call, the commit, or any wait throws {@link
   * TransactionTimeoutException}, and nothing of the transaction happened. That holds for waits for
   * an irrevocable transaction, or to become one, for a partition of the log, for space in it, for
   * a checkpoint of a log at its limit, for the rest of a log that an opening reads later, and in
   * {@link Tx#retry}. It is noticed within a few milliseconds.
   *
   * <p>What is left of the limit after the commit bounds the wait for durability, beside the
   * store's durability timeout. That wait ends with {@code NotYetDurableException}, and the
   * transaction has happened.
   *
   * <p>Not covered are a body that makes no call (nothing of it is locked, so it hinders no other
   * transaction) and work that the transaction does itself: reading data into memory that a
   * recovery has left in the log, and the growth of maps and sets after the commit.
   *
   * @param limit longer than 0
   */
  public TxOptions withTimeLimit(Duration limit) {
    if (limit.isNegative() || limit.isZero()) {
      throw new IllegalArgumentException("a time limit is longer than 0, not " + limit);
    }
    return new TxOptions(durability, isReadOnly, isIrrevocable, limit);
  }

  /** Returns how long the transaction may take to reach its commit, or null for no limit. */
  public @Nullable Duration timeLimit() {
    return timeLimit;
  }

  /** Returns all options with their names, for people. */
  @Override
  public String toString() {
    return "TxOptions[durability="
        + (durability == null ? "default" : durability)
        + ", readOnly="
        + isReadOnly
        + ", irrevocable="
        + isIrrevocable
        + ", timeLimit="
        + (timeLimit == null ? "none" : timeLimit)
        + "]";
  }
}
