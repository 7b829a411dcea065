package io.howdah.testkit.schedule;

/**
 * Decides which simulated thread goes on at each scheduling point. Threads have slots, 0 to 63,
 * given in the order in which they start; a slot is used again when its thread has ended.
 *
 * <p>A schedule is asked by one thread at a time and must decide the same in every run, from the
 * seed it was made with and what it was asked before. One schedule serves one run.
 */
public interface Schedule {

  /**
   * Returns the slot of the thread to go on, one of {@code runnable}.
   *
   * @param current the slot of the thread at the scheduling point
   * @param runnable one bit for each thread that can go on; at least one is set; {@code current}'s
   *     is not if it parked or ended
   * @param waiting whether the current thread spins or yields: it hopes that another one goes on
   */
  int choose(int current, long runnable, boolean waiting);

  /**
   * Returns a schedule that lets each thread take so many steps in turn.
   *
   * @param quantum at least 1
   */
  static Schedule roundRobin(int quantum) {
    return new RoundRobinSchedule(quantum);
  }

  /**
   * Returns a schedule that draws at each step.
   *
   * @param switchOneIn the current thread is preempted once in so many steps, on average; 1 draws
   *     among all threads at every step
   */
  static Schedule random(long seed, int switchOneIn) {
    return new RandomSchedule(seed, switchOneIn);
  }

  /**
   * Returns a probabilistic concurrency test schedule (Burckhardt, Kothari, Musuvathi and
   * Nagarakatte, ASPLOS 2010): threads have random priorities, the highest one runs, and at {@code
   * depth - 1} random steps the running thread falls below all others. It meets a bug that takes
   * {@code depth} ordered steps with probability 1 / (threads * steps^(depth-1)) at least.
   *
   * @param depth at least 1
   * @param expectedSteps about how many steps a run has: where the changes are drawn from
   */
  static Schedule pct(long seed, int depth, long expectedSteps) {
    return new PctSchedule(seed, depth, expectedSteps);
  }

  /**
   * Returns a schedule that repeats a run, given what {@link SimulationOutcome#schedule} said of
   * it. If the run comes to another choice than the recorded one, it says so.
   */
  static Schedule replay(String recorded) {
    return new ReplaySchedule(recorded);
  }
}
