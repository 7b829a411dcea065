package io.howdah.core;

/** The store, or the handle used, is closed. */
public final class StoreClosedException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public StoreClosedException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public StoreClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
