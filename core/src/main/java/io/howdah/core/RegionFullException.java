package io.howdah.core;

/** The region has no room left below its maximum size; the transaction was aborted. */
public final class RegionFullException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public RegionFullException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public RegionFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
