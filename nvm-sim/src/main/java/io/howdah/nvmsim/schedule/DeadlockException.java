package io.howdah.nvmsim.schedule;

/** Every thread that has not ended waits for a word that nobody is left to write. */
public final class DeadlockException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  DeadlockException(String message) {
    super(message);
  }
}
