package io.howdah.testkit.crash;

/**
 * A moment in a run at which the process dies, or at which something fails and the process dies
 * when it is through with that.
 *
 * @param where what is counted
 * @param number which one, from 1; 0 at the end
 * @param moment when in it; always before, but for operations and stores at which it dies
 */
public record CrashPoint(Where where, long number, CrashMoment moment) {

  /** After everything: the run was not disturbed. */
  public static final CrashPoint END = new CrashPoint(Where.END, 0, CrashMoment.BEFORE);

  /** What a crash point counts. */
  public enum Where {
    /** Operations on the disk, {@code SimulatedDisk.operations}. */
    OPERATION,
    /** Stores to shared regions, {@code SimulatedDisk.stores}. */
    STORE,
    /** Scheduling points, {@code SimulationOutcome.steps}. */
    STEP,
    /** Operations on the disk: that one fails with an input/output error. */
    FAULT,
    /** Operations on the disk: that one and every later one of its kind fail. */
    FAULTS,
    /** Operations on the disk: from that one on there is no space. */
    FULL,
    /** The end of the run. */
    END
  }

  /** Returns whether the process dies at this very moment. */
  public boolean isDeath() {
    return where == Where.OPERATION || where == Where.STORE || where == Where.STEP;
  }

  /** Returns whether something fails. */
  public boolean isFault() {
    return where == Where.FAULT || where == Where.FAULTS || where == Where.FULL;
  }

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return where == Where.END ? "END" : where + "-" + number + "-" + moment;
  }

  /** Reads what {@link #toString} wrote. */
  public static CrashPoint parse(String text) {
    if (text.equals("END")) {
      return END;
    }
    String[] parts = text.split("-", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a crash point: \"" + text + "\"");
    }
    return new CrashPoint(
        Where.valueOf(parts[0]), Long.parseLong(parts[1]), CrashMoment.valueOf(parts[2]));
  }
}
