package io.howdah.nvmsim.loc;

/** A block group of the log area says what no run can have written. */
public final class DamagedLogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedLogException(long sid, int slot, String what) {
    super(
        "damaged log: block group "
            + sid
            + " in slot "
            + slot
            + ": "
            + what
            + "; nothing was recovered, home locations are as the power cut left them");
  }

  DamagedLogException(String what) {
    super("damaged log: " + what + "; nothing was recovered");
  }
}
