package io.howdah.log.commit;

/**
 * When a caller's waits end, whatever it waits for: a transaction passes its time limit to every
 * wait of its commit. Thread-safe. Asked on slow paths only, since an answer reads the clock.
 */
public interface Deadline {

  /** Never comes. */
  Deadline NONE =
      new Deadline() {
        @Override
        public long leftNanos() {
          return Long.MAX_VALUE;
        }

        @Override
        public void failIfOver() {}
      };

  /** Returns how much time is left; 0 or less for none. */
  long leftNanos();

  /** Throws the exception that tells the caller's user, if no time is left. */
  void failIfOver();

  /** Returns a time to park for: at most so long, at least 1 ns, and not past the deadline. */
  default long park(long maxNanos) {
    return Math.clamp(leftNanos(), 1, maxNanos);
  }
}
