package io.howdah.txn;

import io.howdah.core.HowdahException;

/** The transaction's body called {@link Tx#abort()}; nothing of the transaction happened. */
public final class TransactionAbortedException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with the reason that the body gave. */
  public TransactionAbortedException(String message) {
    super(message);
  }
}
