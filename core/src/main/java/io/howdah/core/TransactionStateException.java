package io.howdah.core;

/** A transaction was used outside its body, after its end, or from another thread. */
public final class TransactionStateException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public TransactionStateException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public TransactionStateException(String message, Throwable cause) {
    super(message, cause);
  }
}
