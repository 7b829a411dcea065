package io.howdah.crashtest.oracle;

/** A promise was broken. The message says which, and how to see it again. */
public final class Violation extends AssertionError {

  private static final long serialVersionUID = 1L;

  /** Creates one. */
  public Violation(String message) {
    super(message);
  }

  /** Creates one that an unexpected failure of the engine amounts to. */
  public Violation(String message, Throwable cause) {
    super(message, cause);
  }
}
