package io.howdah.testkit.schedule;

import io.howdah.core.layout.SplitMix64;

/** Draws at each step. */
final class RandomSchedule implements Schedule {

  private final int switchOneIn;
  private long state;

  RandomSchedule(long seed, int switchOneIn) {
    if (switchOneIn < 1) {
      throw new IllegalArgumentException("switchOneIn is " + switchOneIn + ", expected at least 1");
    }
    this.state = Mixer.mix(seed);
    this.switchOneIn = switchOneIn;
  }

  @Override
  public int choose(int current, long runnable, boolean waiting) {
    state += SplitMix64.GOLDEN_GAMMA;
    long draw = Mixer.mix(state);
    boolean canStay = (runnable & 1L << current) != 0;
    if (canStay && !waiting && Long.remainderUnsigned(draw, switchOneIn) != 0) {
      return current;
    }
    long candidates = runnable;
    if (canStay && waiting && Long.bitCount(runnable) > 1) {
      candidates &= ~(1L << current);
    }
    return nth(candidates, (int) Long.remainderUnsigned(draw >>> 20, Long.bitCount(candidates)));
  }

  private static int nth(long bits, int n) {
    long rest = bits;
    for (int i = 0; i < n; i++) {
      rest &= rest - 1;
    }
    return Long.numberOfTrailingZeros(rest);
  }
}
