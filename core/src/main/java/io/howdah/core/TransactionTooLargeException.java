package io.howdah.core;

/** A transaction would write more than {@code maxTransactionBytes}; nothing was changed. */
public final class TransactionTooLargeException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public TransactionTooLargeException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public TransactionTooLargeException(String message, Throwable cause) {
    super(message, cause);
  }
}
