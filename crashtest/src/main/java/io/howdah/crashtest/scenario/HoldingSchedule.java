package io.howdah.crashtest.scenario;

import io.howdah.testkit.schedule.Schedule;
import java.util.SplittableRandom;

/**
 * A schedule whose threads can be told to stop after so many of their own steps, and to go on: so
 * that a scenario catches a flusher between two tails that it reads, or a commit between its LSN
 * and its record, and has others do whole transactions meanwhile.
 *
 * <p>Its methods are called by the threads that it schedules, of which one runs at a time. A thread
 * that waits while another one is held must spin or yield, not park: where only held threads are
 * left, one of them continues.
 */
final class HoldingSchedule implements Schedule {

  private static final int SWITCH_ONE_IN = 6;

  private final SplittableRandom random;
  private final HeldThreads threads = new HeldThreads();

  HoldingSchedule(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Stops a thread once it has gone so many steps further; 0 for at its next one. */
  void hold(long slot, long afterSteps) {
    threads.hold(slot, afterSteps);
  }

  /** Returns whether a thread that was to be stopped has come to its place. */
  boolean isHeld(long slot) {
    return threads.isHeld(slot);
  }

  /** Lets a thread go on. */
  void release(long slot) {
    threads.release(slot);
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    long candidates = threads.candidates(current, runnable);
    if (candidates == 0) {
      candidates = runnable;
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
