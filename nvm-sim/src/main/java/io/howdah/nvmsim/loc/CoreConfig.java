package io.howdah.nvmsim.loc;

import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.HierarchyGeometry;

/**
 * The machine a protocol runs on.
 *
 * @param caches three levels
 * @param memory the device
 * @param homeLines lines of the data, below the log area
 * @param logGroups block groups of the log area
 * @param atomicGroups whether a block group becomes durable as a whole, as the paper has it; else
 *     only words do
 * @param softwareWaitNs what write-back and fence instructions cost the software besides the
 *     waiting
 * @param homeOverlap whether a window of several transactions leaves the wait for its home writes
 *     to the next window's log; a window of one always waits
 */
public record CoreConfig(
    HierarchyGeometry caches,
    DeviceTiming memory,
    long homeLines,
    int logGroups,
    boolean atomicGroups,
    int softwareWaitNs,
    boolean homeOverlap) {
  /** 32 MB of block groups (LOC, §IV-B). */
  public static final int PAPER_LOG_GROUPS = (32 << 20) / (LogLayout.GROUP_LINES * 64);

  private static final int MAX_LOG_GROUPS = 1 << 24;
  private static final int MAX_SOFTWARE_WAIT_NS = 1_000_000;

  public CoreConfig {
    if (homeLines < 1 || homeLines > LogLayout.MAX_HOME_LINES) {
      throw new IllegalArgumentException(
          "home lines must be 1 to " + LogLayout.MAX_HOME_LINES + ": " + homeLines);
    }
    if (logGroups < 2 || logGroups > MAX_LOG_GROUPS) {
      throw new IllegalArgumentException(
          "log area too small or too large: "
              + logGroups
              + " block groups, must be 2 to "
              + MAX_LOG_GROUPS);
    }
    if (softwareWaitNs < 0 || softwareWaitNs > MAX_SOFTWARE_WAIT_NS) {
      throw new IllegalArgumentException(
          "software wait must be 0 to " + MAX_SOFTWARE_WAIT_NS + " ns: " + softwareWaitNs);
    }
  }

  /** The paper's machine for data of this many lines. */
  public static CoreConfig paper(long homeLines) {
    return new CoreConfig(
        HierarchyGeometry.loc(),
        DeviceTiming.fixed(168),
        homeLines,
        PAPER_LOG_GROUPS,
        true,
        0,
        false);
  }

  public CoreConfig withCaches(HierarchyGeometry other) {
    return new CoreConfig(
        other, memory, homeLines, logGroups, atomicGroups, softwareWaitNs, homeOverlap);
  }

  public CoreConfig withMemory(DeviceTiming other) {
    return new CoreConfig(
        caches, other, homeLines, logGroups, atomicGroups, softwareWaitNs, homeOverlap);
  }

  public CoreConfig withAtomicGroups(boolean atomic) {
    return new CoreConfig(
        caches, memory, homeLines, logGroups, atomic, softwareWaitNs, homeOverlap);
  }

  public CoreConfig withSoftwareWaitNs(int waitNs) {
    return new CoreConfig(caches, memory, homeLines, logGroups, atomicGroups, waitNs, homeOverlap);
  }

  public CoreConfig withHomeOverlap(boolean overlap) {
    return new CoreConfig(
        caches, memory, homeLines, logGroups, atomicGroups, softwareWaitNs, overlap);
  }

  /** First line of the log area. */
  long logLine() {
    return homeLines;
  }
}
