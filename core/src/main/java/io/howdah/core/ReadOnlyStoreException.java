package io.howdah.core;

/** What was asked for would change a store that is open for reading only; nothing was changed. */
public final class ReadOnlyStoreException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public ReadOnlyStoreException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public ReadOnlyStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
