package io.howdah.nvmsim.schedule;

final class Pct implements SchedulePolicy {
  static final int MAX_DEPTH = 32;

  private final long seed;
  private final int depth;
  private final int[] priority = new int[DeterministicScheduler.MAX_THREADS];
  private final long[] changeTurns;
  private long turn;

  Pct(long seed, int depth, long expectedTurns) {
    this.seed = seed;
    this.depth = depth;
    SplitMix random = new SplitMix(seed);
    for (int i = 0; i < priority.length; i++) {
      int j = random.below(i + 1);
      priority[i] = priority[j];
      priority[j] = depth + i;
    }
    changeTurns = new long[depth - 1];
    for (int i = 0; i < changeTurns.length; i++) {
      changeTurns[i] = 1 + Long.remainderUnsigned(random.next(), expectedTurns);
    }
  }

  @Override
  public String name() {
    return "pct-" + depth;
  }

  @Override
  public long seed() {
    return seed;
  }

  @Override
  public int choose(long runnable, int current) {
    turn++;
    for (int i = 0; i < changeTurns.length; i++) {
      if (changeTurns[i] == turn) {
        priority[highest(runnable)] = i;
      }
    }
    return highest(runnable);
  }

  private int highest(long runnable) {
    int best = -1;
    for (long left = runnable; left != 0; left &= left - 1) {
      int thread = Long.numberOfTrailingZeros(left);
      if (best < 0 || priority[thread] > priority[best]) {
        best = thread;
      }
    }
    return best;
  }
}
