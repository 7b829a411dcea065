package io.howdah.nvmsim.schedule;

/** The scheduling policies. */
public final class Policies {
  private Policies() {}

  /** Threads take turns of {@code quantum} events in order of their numbers. */
  public static SchedulePolicy roundRobin(int quantum) {
    if (quantum < 1) {
      throw new IllegalArgumentException("quantum must be at least 1: " + quantum);
    }
    return new RoundRobin(quantum);
  }

  /** Each turn goes to any runnable thread with equal chance. */
  public static SchedulePolicy random(long seed) {
    return new SeededRandom(seed);
  }

  /**
   * Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010):
   * random fixed priorities, lowered at {@code depth - 1} random points. Finds a bug of that depth
   * with a known chance.
   *
   * @param expectedTurns about how many turns the run takes; change points fall among them
   */
  public static SchedulePolicy pct(long seed, int depth, long expectedTurns) {
    if (depth < 1 || depth > Pct.MAX_DEPTH || expectedTurns < 1) {
      throw new IllegalArgumentException(
          "depth must be 1 to "
              + Pct.MAX_DEPTH
              + " and expectedTurns at least 1: "
              + depth
              + ", "
              + expectedTurns);
    }
    return new Pct(seed, depth, expectedTurns);
  }

  /** Repeats recorded choices; a choice that cannot be made, or one too few, is an error. */
  public static SchedulePolicy replay(byte[] choices) {
    return new Replay(choices.clone());
  }
}
