package io.howdah.core.storage.file;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A figure that takes long to read, and is read again only when the last reading is older than a
 * time. Thread-safe; two threads may read at once.
 */
final class RecentFigure {

  private final LongSupplier source;
  private final long nanos;
  private volatile @Nullable Reading last;

  /** What was read, and when. */
  private record Reading(long figure, long atNanos) {}

  /**
   * Creates one that was not read yet.
   *
   * @param nanos how long a reading holds
   */
  RecentFigure(LongSupplier source, long nanos) {
    this.source = source;
    this.nanos = nanos;
  }

  /**
   * Returns the figure.
   *
   * @param nowNanos the time, of a clock as {@link System#nanoTime}
   */
  long get(long nowNanos) {
    Reading reading = last;
    if (reading == null || nowNanos - reading.atNanos > nanos) {
      reading = new Reading(source.getAsLong(), nowNanos);
      last = reading;
    }
    return reading.figure;
  }
}
