package io.howdah.log.commit;

/**
 * The deadline of all waits of a caller. A transaction passes its time limit to every wait of its
 * commit. Thread-safe. Used only on slow paths, since each call reads the system's clock.
 */
public interface Deadline {

  /** No deadline. */
  Deadline NONE =
      new Deadline() {
        @Override
        public long leftNanos() {
          return Long.MAX_VALUE;
        }

        @Override
        public void failIfOver() {}
      };

  /** Returns the remaining time in nanoseconds; 0 or less after the deadline. */
  long leftNanos();

  /** Throws the exception of the expired limit if no time is left. */
  void failIfOver();

  /** Returns a time to park: 1 ns to {@code maxNanos}, and not beyond the deadline. */
  default long park(long maxNanos) {
    return Math.clamp(leftNanos(), 1, maxNanos);
  }
}
