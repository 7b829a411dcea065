package io.howdah.nvmsim.schedule;

final class SeededRandom implements SchedulePolicy {
  private final long seed;
  private final SplitMix random;

  SeededRandom(long seed) {
    this.seed = seed;
    this.random = new SplitMix(seed);
  }

  @Override
  public String name() {
    return "random";
  }

  @Override
  public long seed() {
    return seed;
  }

  @Override
  public int choose(long runnable, int current) {
    long left = runnable;
    for (int skip = random.below(Long.bitCount(runnable)); skip > 0; skip--) {
      left &= left - 1;
    }
    return Long.numberOfTrailingZeros(left);
  }
}
