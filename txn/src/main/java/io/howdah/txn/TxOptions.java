package io.howdah.txn;

import java.util.Objects;

/**
 * How one transaction runs.
 *
 * @param durability what it has survived when it returns
 * @param isReadOnly whether writing is refused, with {@link
 *     io.howdah.core.TransactionStateException}
 * @param isIrrevocable whether no other transaction commits while it runs, so that its body runs
 *     once and may do what cannot be repeated; all other commits wait for it, so keep it short
 */
public record TxOptions(Durability durability, boolean isReadOnly, boolean isIrrevocable) {

  /** Checks that all is there. */
  public TxOptions {
    Objects.requireNonNull(durability, "durability");
  }

  /** Returns options for an ordinary transaction. */
  public static TxOptions of(Durability durability) {
    return new TxOptions(durability, false, false);
  }

  /** Returns these options for a transaction that does not write. */
  public TxOptions readOnly() {
    return new TxOptions(durability, true, isIrrevocable);
  }

  /** Returns these options for a transaction whose body runs once. */
  public TxOptions irrevocable() {
    return new TxOptions(durability, isReadOnly, true);
  }
}
