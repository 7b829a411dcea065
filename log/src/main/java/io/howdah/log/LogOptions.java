package io.howdah.log;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;

/**
 * How the log behaves.
 *
 * @param groupCommitIntervalNanos longest time between publishing a record and forcing it when no
 *     thread asks for a force, 1 µs to 10 s; ten times as long after a second without work; after a
 *     minute at least 100 ms
 * @param spinNanos how long the flusher and one waiter spin for each other before they park, 0 to 1
 *     ms; with more waiters than idle processors they do not spin
 * @param logFullTimeoutNanos how long a commit waits for space when the file system is full, before
 *     {@link io.howdah.core.LogFullException}
 * @param firstSegmentBytes length of the first segment an opening creates; each further one doubles
 * @param largestSegmentBytes length at which doubling ends
 * @param maxBytes maximum length of the log; at this length no commit begins until a checkpoint has
 *     freed segments
 */
public record LogOptions(
    long groupCommitIntervalNanos,
    long spinNanos,
    long logFullTimeoutNanos,
    int firstSegmentBytes,
    int largestSegmentBytes,
    long maxBytes) {

  /** Minimum of maxBytes, in segments of the largest length. */
  public static final int MIN_SEGMENTS = 8;

  /** The defaults: 1 ms, 200 µs, 5 s, 1 MiB, 64 MiB, no limit. */
  public static final LogOptions DEFAULTS =
      new LogOptions(
          1_000_000, 200_000, 5_000_000_000L, 1 << 20, SegmentLayout.MAX_LENGTH, Long.MAX_VALUE);

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
    // A checkpoint frees whole segments only, so one segment must be a small part of the log.
    require(maxBytes / MIN_SEGMENTS >= largestSegmentBytes, "most bytes of log", maxBytes);
  }

  private static void require(boolean holds, String what, long value) {
    if (!holds) {
      throw new IllegalArgumentException(what + " is out of range: " + value);
    }
  }
}
