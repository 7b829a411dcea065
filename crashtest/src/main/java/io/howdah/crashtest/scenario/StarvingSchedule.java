package io.howdah.crashtest.scenario;

import io.howdah.testkit.schedule.Schedule;
import java.util.SplittableRandom;

/**
 * A schedule that, now and then, stops one thread wherever it is and lets the others go on for
 * long: as when the operating system preempts it. What hangs on a commit being caught between two
 * of its steps while others complete theirs is met far sooner than by drawing every step.
 */
final class StarvingSchedule implements Schedule {

  private static final int SWITCH_ONE_IN = 12;

  private final SplittableRandom random;
  private final int onlySlot;
  private final int starveOneIn;
  private final int longestSteps;
  private int victim = -1;
  private int stepsLeft;

  /**
   * Creates one.
   *
   * @param onlySlot the one thread that is ever stopped, or -1 for whichever runs
   * @param starveOneIn once in so many steps the running thread is stopped
   * @param longestSteps for at most so many steps
   */
  StarvingSchedule(long seed, int onlySlot, int starveOneIn, int longestSteps) {
    this.onlySlot = onlySlot;
    this.random = new SplittableRandom(seed);
    this.starveOneIn = starveOneIn;
    this.longestSteps = longestSteps;
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    if (victim < 0 && (onlySlot < 0 || current == onlySlot) && random.nextInt(starveOneIn) == 0) {
      victim = current;
      stepsLeft = 1 + random.nextInt(longestSteps);
    }
    long candidates = runnable;
    if (victim >= 0) {
      candidates &= ~(1L << victim);
      if (candidates == 0 || --stepsLeft == 0) {
        victim = -1;
        candidates = runnable;
      }
    }
    boolean canStay = (candidates >>> current & 1) != 0;
    if (canStay && !waiting && random.nextInt(SWITCH_ONE_IN) != 0) {
      return current;
    }
    return nth(candidates, random.nextInt(Long.bitCount(candidates)));
  }

  private static int nth(long bits, int n) {
    long rest = bits;
    for (int i = 0; i < n; i++) {
      rest &= rest - 1;
    }
    return Long.numberOfTrailingZeros(rest);
  }
}
