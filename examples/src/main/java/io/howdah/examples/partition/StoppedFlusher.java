package io.howdah.examples.partition;

import io.howdah.testkit.schedule.Schedule;

/**
 * Stops the thread that forces the log at one of its steps, as a busy operating system might, while
 * all others go on in turn.
 */
final class StoppedFlusher implements Schedule {

  private static final int LONG_ENOUGH = 6000;

  private final int atStep;
  private boolean armed;
  private int steps;
  private int stopped = -1;
  private int left = LONG_ENOUGH;

  StoppedFlusher(int atStep) {
    this.atStep = atStep;
  }

  /** Starts to count steps. */
  void arm() {
    armed = true;
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    if (armed && Thread.currentThread().getName().equals("howdah-flusher") && ++steps == atStep) {
      stopped = current;
    }
    long candidates = runnable;
    if (stopped >= 0 && left > 0) {
      left--;
      candidates &= ~(1L << stopped);
      candidates = candidates == 0 ? runnable : candidates;
    }
    long above = candidates & (-1L << (current + 1));
    return Long.numberOfTrailingZeros(above != 0 ? above : candidates);
  }
}
