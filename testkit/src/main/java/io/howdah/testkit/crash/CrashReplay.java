package io.howdah.testkit.crash;

import org.jspecify.annotations.Nullable;

/**
 * Everything needed to have one crash test again: text such as {@code
 * 7/SECTOR/OPERATION-17-MIDDLE:POWER_CUT:7.5/OPERATION-3-BEFORE:KILL}.
 *
 * @param seed of disk and schedule
 * @param unit of the disk
 * @param first the crash of the work
 * @param second the crash of the recovery from it, if there was one
 */
public record CrashReplay(long seed, CrashUnit unit, Crash first, @Nullable Crash second) {

  /** The system property that makes {@code CrashExplorer} have only the replay it holds. */
  public static final String PROPERTY = "howdah.crash.replay";

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return seed + "/" + unit + "/" + first + (second == null ? "" : "/" + second);
  }

  /** Reads what {@link #toString} wrote. */
  public static CrashReplay parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length < 3 || parts.length > 4) {
      throw new IllegalArgumentException("not a crash replay: \"" + text + "\"");
    }
    return new CrashReplay(
        Long.parseLong(parts[0]),
        CrashUnit.valueOf(parts[1]),
        Crash.parse(parts[2]),
        parts.length == 4 ? Crash.parse(parts[3]) : null);
  }
}
