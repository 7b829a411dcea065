package io.howdah.testkit.crash;

/**
 * A crash and what it left: when, how, and in which legal state the disk came back.
 *
 * @param choice matters only where the kind loses what is unforced
 */
public record Crash(CrashPoint point, CrashKind kind, CrashChoice choice) {

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return point + ":" + kind + (kind.losesUnforced() ? ":" + choice : "");
  }

  /** Reads what {@link #toString} wrote. */
  public static Crash parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length < 2 || parts.length > 3) {
      throw new IllegalArgumentException("not a crash: \"" + text + "\"");
    }
    return new Crash(
        CrashPoint.parse(parts[0]),
        CrashKind.valueOf(parts[1]),
        parts.length == 3 ? CrashChoice.parse(parts[2]) : CrashChoice.KEEP_ALL);
  }
}
