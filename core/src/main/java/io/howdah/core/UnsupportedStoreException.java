package io.howdah.core;

/**
 * What was found is not a store this version can open: foreign files, a newer format, or another
 * geometry than asked for.
 */
public final class UnsupportedStoreException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public UnsupportedStoreException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public UnsupportedStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
