package io.howdah.core;

/**
 * An address lies outside its region, is misaligned, or names no block of this store; the
 * transaction was aborted.
 */
public final class InvalidAddressException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public InvalidAddressException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public InvalidAddressException(String message, Throwable cause) {
    super(message, cause);
  }
}
