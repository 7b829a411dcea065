package io.howdah.core;

import org.jspecify.annotations.Nullable;

/**
 * The root of everything Howdah throws on purpose. Each message says what happened, where, and what
 * to do about it.
 */
public class HowdahException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public HowdahException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public HowdahException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Creates one that may go without a stack trace, for what is expected and frequent. */
  protected HowdahException(
      String message,
      @Nullable Throwable cause,
      boolean enableSuppression,
      boolean writableStackTrace) {
    super(message, cause, enableSuppression, writableStackTrace);
  }
}
