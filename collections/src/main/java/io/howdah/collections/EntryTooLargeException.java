package io.howdah.collections;

import io.howdah.core.HowdahException;

/** A key or a value is longer than its collection takes. Nothing of the operation happened. */
public final class EntryTooLargeException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public EntryTooLargeException(String message) {
    super(message);
  }
}
