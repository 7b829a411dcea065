package io.howdah.jmh.workload;

/** Cheap random numbers for one thread: an xorshift generator (Marsaglia, 2003). */
final class RandomWords {

  private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

  private long state;

  RandomWords(int seed) {
    this.state = GOLDEN * (seed + 1);
  }

  /** Returns a number from 0 to {@code bound - 1}. */
  long next(long bound) {
    long x = state;
    x ^= x << 13;
    x ^= x >>> 7;
    x ^= x << 17;
    state = x;
    return Math.unsignedMultiplyHigh(x, bound);
  }
}
