package io.howdah.crashtest.scenario;

/**
 * How long a scenario may go on, and its seeds. A scenario runs one attempt for each seed, at least
 * one, and stops when {@link #more} says so. Not thread-safe.
 */
public final class Budget {

  private final long deadlineNanos;
  private final long mostAttempts;
  private long seed;
  private long attempts;

  /**
   * Creates a budget.
   *
   * @param firstSeed seed of the first attempt; each further one takes the next number
   * @param seconds after which no new attempt begins
   * @param mostAttempts after which no new attempt begins
   */
  public Budget(long firstSeed, double seconds, long mostAttempts) {
    this.seed = firstSeed - 1;
    this.deadlineNanos = System.nanoTime() + (long) (seconds * 1e9);
    this.mostAttempts = mostAttempts;
  }

  /** Returns whether another attempt may begin, and moves to its seed. */
  public boolean more() {
    if (attempts > 0 && (attempts >= mostAttempts || System.nanoTime() - deadlineNanos >= 0)) {
      return false;
    }
    attempts++;
    seed++;
    return true;
  }

  /** Returns the seed of the attempt under way. */
  public long seed() {
    return seed;
  }

  /** Returns how many attempts have begun. */
  public long attempts() {
    return attempts;
  }
}
