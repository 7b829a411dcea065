package io.howdah.core.storage;

import io.howdah.core.HowdahException;

/** Another holder has the store open; the message names it. */
public final class StoreLockedException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public StoreLockedException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public StoreLockedException(String message, Throwable cause) {
    super(message, cause);
  }
}
