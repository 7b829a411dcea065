package io.howdah.nvmsim.loc;

/** One window needs more block groups than the log area has. */
public final class LogAreaFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LogAreaFullException(int slots, int degree) {
    super(
        "log area too small: it has "
            + slots
            + " block groups of 512 bytes and one speculation window of "
            + degree
            + " transactions needs more; enlarge the log area, or make the window or its"
            + " transactions smaller");
  }
}
