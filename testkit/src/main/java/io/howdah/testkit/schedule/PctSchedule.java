package io.howdah.testkit.schedule;

import java.util.Arrays;

/** The highest priority runs; priorities fall at a few random steps. */
final class PctSchedule implements Schedule {

  // A thread that polls without a hint would keep a lower one, which it waits for, out for ever.
  private static final int FAIR_AFTER_STEPS = 10_000;

  private final long seed;
  private final long[] changes;
  private final long[] priorities = new long[64];
  private long known;
  private long lowest;
  private long step;
  private int nextChange;
  private int running = -1;
  private int runLength;

  PctSchedule(long seed, int depth, long expectedSteps) {
    if (depth < 1 || expectedSteps < 1) {
      throw new IllegalArgumentException(
          "depth " + depth + " and " + expectedSteps + " expected steps; both are at least 1");
    }
    this.seed = seed;
    changes = new long[depth - 1];
    for (int i = 0; i < changes.length; i++) {
      changes[i] = 1 + Long.remainderUnsigned(Mixer.mix(seed, i, 1), expectedSteps);
    }
    Arrays.sort(changes);
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    step++;
    for (long fresh = runnable & ~known; fresh != 0; fresh &= fresh - 1) {
      int slot = Long.numberOfTrailingZeros(fresh);
      priorities[slot] = Mixer.mix(seed, step, slot) >>> 1;
      known |= 1L << slot;
    }
    boolean falls = waiting;
    while (nextChange < changes.length && step >= changes[nextChange]) {
      nextChange++;
      falls = true;
    }
    if (runLength >= FAIR_AFTER_STEPS) {
      falls = true;
    }
    if (falls) {
      priorities[current] = --lowest;
    }
    int best = -1;
    for (long rest = runnable; rest != 0; rest &= rest - 1) {
      int slot = Long.numberOfTrailingZeros(rest);
      if (best < 0 || priorities[slot] > priorities[best]) {
        best = slot;
      }
    }
    runLength = best == running ? runLength + 1 : 0;
    running = best;
    return best;
  }
}
