package io.howdah.checkpoint;

/**
 * The memory that the last process has left cannot be used by this opening, which recovers into new
 * memory instead.
 */
public final class UnusableMemoryException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates one; the message says what is not as expected. */
  public UnusableMemoryException(String message) {
    super(message, null, false, false);
  }

  /** Returns what is not as expected. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
