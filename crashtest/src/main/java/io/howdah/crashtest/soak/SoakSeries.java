package io.howdah.crashtest.soak;

import java.util.Locale;

/**
 * A figure over time, and how far it may rise: the median at the end may be at most {@code factor}
 * times the one at the beginning, plus {@code slack}.
 */
public enum SoakSeries {
  /** Heap after a full collection. */
  HEAP("MB", 1.3, 8),
  /** Resident memory of the process, mapped files among it. */
  RESIDENT("MB", 1.3, 64),
  /** Resident memory that no file stands behind: heap, stacks, buffers, compiled code. */
  ANONYMOUS("MB", 1.3, 32),
  /** What of the store's region is in use; it is off the heap. */
  STORE("MB", 1.2, 2),
  /** The redo log that is kept. */
  LOG("MB", 1.5, 64),
  /** Length of all files of the store. */
  FILES("MB", 1.5, 96),
  /** Open file descriptors. Growth is none of noise: it ends in a failure. */
  DESCRIPTORS("count", 1, 4),
  /** Threads of the process. */
  THREADS("count", 1, 4),
  /** Half of the operations take at most so long. */
  P50("µs", 2, 50),
  /** 99 % of the operations take at most so long. */
  P99("µs", 3, 2000),
  /** 99.9 % of the operations take at most so long. Collections and forces are among it. */
  P999("µs", 5, 30_000),
  /** Operations in a second: falls, if it changes, and is shown only. */
  RATE("1/s", Double.POSITIVE_INFINITY, 0);

  private final String unit;
  private final double factor;
  private final double slack;

  SoakSeries(String unit, double factor, double slack) {
    this.unit = unit;
    this.factor = factor;
    this.slack = slack;
  }

  /** Returns what one is. */
  public String unit() {
    return unit;
  }

  /** Returns what the median at the end may be, by that at the beginning. */
  public double limit(double first) {
    return factor * first + slack;
  }

  /** Returns the name as it is shown. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
