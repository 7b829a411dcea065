package io.howdah.log.flush;

/**
 * How the flusher gathers commits into forces.
 *
 * @param intervalNanos how long a published record waits for its force when no thread asks for it
 * @param spinNanos how long the flusher spins for the next request before it parks
 */
public record GroupCommit(long intervalNanos, long spinNanos) {

  /** How many intervals the flusher sleeps when it is idle. */
  static final int IDLE_FACTOR = 10;

  /** Returns how long the flusher sleeps when it is idle. */
  long idleIntervalNanos() {
    return intervalNanos * IDLE_FACTOR;
  }
}
