package io.howdah.core;

/**
 * The store stopped after a failure it cannot continue past, such as a failed force; reopening it
 * recovers every acknowledged commit.
 */
public final class StoreFailedException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public StoreFailedException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public StoreFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
