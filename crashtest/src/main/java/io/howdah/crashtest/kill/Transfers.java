package io.howdah.crashtest.kill;

/**
 * Who moves where: the n-th transfer of a thread in a commit mode, as a pure function, so that the
 * killed and the killing process agree on it without a word. Immutable; allocates nothing.
 *
 * <p>A transfer takes 1 to 8 people from one city and gives them to another, whatever live there:
 * its effect does not depend on what ran before. One in eight leaves one of the largest cities, so
 * that threads meet.
 */
final class Transfers {

  /** How many of the largest cities attract more than their share of transfers. */
  static final int BUSY_CITIES = 64;

  private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

  private final long seed;
  private final int cities;
  private final int[] busy;

  Transfers(long seed, int cities, int[] busy) {
    this.seed = seed;
    this.cities = cities;
    this.busy = busy.clone();
  }

  /** Returns what the other methods want to know about the n-th transfer, n from 1. */
  long draw(int mode, int thread, long n) {
    return mix(mix(seed + GOLDEN * (1 + mode * 1024L + thread)) + GOLDEN * n);
  }

  /** Returns the index of the city people leave. */
  int from(long draw) {
    long bits = mix(draw + 1);
    if ((draw & 7) == 0) {
      return busy[scale(bits, busy.length)];
    }
    return scale(bits, cities);
  }

  /** Returns the index of the city people go to, another than {@link #from}. */
  int to(long draw) {
    int to = scale(mix(draw + 2), cities - 1);
    return to < from(draw) ? to : to + 1;
  }

  /** Returns how many move. */
  long people(long draw) {
    return 1 + ((draw >>> 3) & 7);
  }

  /** Maps the upper 32 bits evenly to 0 .. bound - 1. */
  private static int scale(long bits, int bound) {
    return (int) (((bits >>> 32) * bound) >>> 32);
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
  private static long mix(long z) {
    z = (z ^ z >>> 30) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ z >>> 27) * 0x94d0_49bb_1331_11ebL;
    return z ^ z >>> 31;
  }
}
