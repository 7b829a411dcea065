package io.howdah.crashtest.workload;

import java.util.concurrent.atomic.AtomicLong;

/** When explorations end that run beside each other. Thread-safe. */
final class ExploreLimit {

  private final long maxStates;
  private final double seconds;
  private final long started = System.nanoTime();
  private final AtomicLong states = new AtomicLong();
  private volatile boolean ended;

  /**
   * Begins now.
   *
   * @param maxStates of all of them together
   */
  ExploreLimit(long maxStates, double seconds) {
    this.maxStates = maxStates;
    this.seconds = seconds;
  }

  static ExploreLimit none() {
    return new ExploreLimit(Long.MAX_VALUE, Double.POSITIVE_INFINITY);
  }

  /** Tells that states were gone through. */
  void add(long count) {
    states.addAndGet(count);
  }

  /** Returns how many states were gone through. */
  long states() {
    return states.get();
  }

  /** Ends all of them. */
  void end() {
    ended = true;
  }

  boolean isReached() {
    return ended
        || states.get() >= maxStates
        || (double) (System.nanoTime() - started) >= seconds * 1e9;
  }
}
