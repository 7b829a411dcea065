package io.howdah.log.flush;

/**
 * Parameters of group commit.
 *
 * @param intervalNanos maximum time between the publication of a record and its force if no thread
 *     waits for the force
 * @param spinNanos time for which the flusher spins for the next request before it parks
 */
public record GroupCommit(long intervalNanos, long spinNanos) {

  /** Number of intervals that an idle flusher sleeps. */
  static final int IDLE_FACTOR = 10;

  /** Returns the time in nanoseconds that an idle flusher sleeps. */
  long idleIntervalNanos() {
    return intervalNanos * IDLE_FACTOR;
  }
}
