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
 *     included, or null for no limit; past it the body's next call, a wait in {@link Tx#retry}, or
 *     the commit throws {@link TransactionTimeoutException}. It is noticed within a few
 *     milliseconds. A body that makes no call goes on: nothing of it is locked, so it hinders
 *     nobody
 */
public record TxOptions(
    Durability durability,
    boolean isReadOnly,
    boolean isIrrevocable,
    @Nullable Duration timeLimit) {

  /** Checks that all is there. */
  public TxOptions {
    Objects.requireNonNull(durability, "durability");
    if (timeLimit != null && (timeLimit.isNegative() || timeLimit.isZero())) {
      throw new IllegalArgumentException("a time limit is longer than 0, not " + timeLimit);
    }
  }

  /** Returns options for an ordinary transaction. */
  public static TxOptions of(Durability durability) {
    return new TxOptions(durability, false, false, null);
  }

  /** Returns these options for a transaction that does not write. */
  public TxOptions readOnly() {
    return new TxOptions(durability, true, isIrrevocable, timeLimit);
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
