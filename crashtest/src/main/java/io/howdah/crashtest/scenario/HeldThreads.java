package io.howdah.crashtest.scenario;

/**
 * The threads that a schedule has stopped, or stops after some more of their own steps.
 *
 * <p>Used by the threads of a simulated execution, of which one runs at a time.
 */
final class HeldThreads {

  private final long[] stepsLeft = new long[Long.SIZE];
  private long doomed;
  private long held;

  /** Stops a thread after so many of its own steps; 0 for at its next one. */
  void hold(long slot, long afterSteps) {
    stepsLeft[(int) slot] = afterSteps;
    doomed |= 1L << slot;
    held &= ~(1L << slot);
  }

  /** Returns whether a thread has stopped. */
  boolean isHeld(long slot) {
    return (held >>> slot & 1) != 0;
  }

  /** Lets a thread go on. */
  void release(long slot) {
    doomed &= ~(1L << slot);
    held &= ~(1L << slot);
  }

  /** Counts a step of the current thread, and returns those of the runnable threads that may go. */
  long candidates(int current, long runnable) {
    if ((doomed >>> current & 1) != 0 && --stepsLeft[current] < 0) {
      held |= 1L << current;
    }
    return runnable & ~held;
  }
}
