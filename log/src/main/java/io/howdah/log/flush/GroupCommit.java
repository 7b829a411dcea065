package io.howdah.log.flush;

/**
 * Parameters of group commit.
 *
 * @param intervalNanos maximum time between the publication of a record and its force if no thread
 *     waits for the force and the log had work within the last second; {@link #intervalNanos(long)}
 *     is longer for an idle log. It also bounds the time for which a force waits until more threads
 *     wait for it
 * @param spinNanos time for which the flusher spins for the next request before it parks
 */
public record GroupCommit(long intervalNanos, long spinNanos) {

  /** Number of intervals that a flusher sleeps which has had no work for a second. */
  static final int IDLE_FACTOR = 10;

  /** What a flusher sleeps at most that has had no work for a minute, if that is longer. */
  static final long QUIET_NANOS = 100_000_000;

  private static final long IDLE_AFTER_NANOS = 1_000_000_000;
  private static final long QUIET_AFTER_NANOS = 60_000_000_000L;

  /** Returns the time in nanoseconds that a flusher sleeps which has had no work for a time. */
  long intervalNanos(long idleNanos) {
    return idleNanos > QUIET_AFTER_NANOS
        ? longestIntervalNanos()
        : idleNanos > IDLE_AFTER_NANOS ? intervalNanos * IDLE_FACTOR : intervalNanos;
  }

  /** Returns the longest time in nanoseconds that a flusher sleeps. */
  long longestIntervalNanos() {
    return Math.max(intervalNanos * IDLE_FACTOR, QUIET_NANOS);
  }
}
