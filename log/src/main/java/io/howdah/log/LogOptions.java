package io.howdah.log;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;

/**
 * How the log behaves.
 *
 * @param groupCommitIntervalNanos how long a published record waits for its force when nobody asks
 *     for it, 1 µs to 10 s; with nothing to do for a second, up to ten times as long
 * @param spinNanos how long the flusher and one waiter spin for each other before parking, 0 to 1
 *     ms; spinning stops by itself when there are more waiters than idle processors
 * @param logPerThread whether each partition is a log of its own, as Hathi has it: used by the
 *     threads whose home it is alone, forced in batches of its own, and counted by itself
 * @param logFullTimeoutNanos how long a commit waits for space when the file system is full, before
 *     {@link io.howdah.core.LogFullException}
 * @param firstSegmentBytes length of the first segment an opening creates; each further one doubles
 * @param largestSegmentBytes where doubling ends
 * @param maxBytes how long the log may get before no further commit begins until a checkpoint has
 *     given some of it back
 */
public record LogOptions(
    long groupCommitIntervalNanos,
    long spinNanos,
    boolean logPerThread,
    long logFullTimeoutNanos,
    int firstSegmentBytes,
    int largestSegmentBytes,
    long maxBytes) {

  /** How many segments of the largest length the log may have at least. */
  public static final int MIN_SEGMENTS = 8;

  /** The defaults: 1 ms, 200 µs, 5 s, 1 MiB, 64 MiB, no limit. */
  public static final LogOptions DEFAULTS =
      new LogOptions(
          1_000_000,
          200_000,
          false,
          5_000_000_000L,
          1 << 20,
          SegmentLayout.MAX_LENGTH,
          Long.MAX_VALUE);

  /** Checks the ranges. */
  public LogOptions {
    require(
        groupCommitIntervalNanos >= 1_000 && groupCommitIntervalNanos <= 10_000_000_000L,
        "group commit interval",
        groupCommitIntervalNanos);
    require(spinNanos >= 0 && spinNanos <= 1_000_000, "spin time", spinNanos);
    require(logFullTimeoutNanos >= 0, "log full timeout", logFullTimeoutNanos);
    require(
        firstSegmentBytes >= SegmentLayout.MIN_LENGTH
            && firstSegmentBytes % BatchLayout.ALIGNMENT == 0,
        "first segment length",
        firstSegmentBytes);
    require(
        largestSegmentBytes >= firstSegmentBytes && largestSegmentBytes <= SegmentLayout.MAX_LENGTH,
        "largest segment length",
        largestSegmentBytes);
    // So that one segment, of which no checkpoint gives anything back, is far from being all.
    require(maxBytes / MIN_SEGMENTS >= largestSegmentBytes, "most bytes of log", maxBytes);
  }

  private static void require(boolean holds, String what, long value) {
    if (!holds) {
      throw new IllegalArgumentException(what + " is out of range: " + value);
    }
  }
}
