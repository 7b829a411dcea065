package io.howdah.nvmsim.schedule;

/**
 * SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), written out so that a trace does not depend on
 * which generator a Java release ships.
 */
public final class SplitMix {
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;
  private long state;

  public SplitMix(long seed) {
    state = seed;
  }

  public long next() {
    state += GOLDEN_GAMMA;
    return mix(state);
  }

  /** A number in {@code [0, bound)}, for bounds up to 2^31; the bias is below 2^-32. */
  public int below(int bound) {
    return (int) (((next() >>> 32) * bound) >>> 32);
  }

  /** The finaliser: a bijection that scatters neighbouring arguments. */
  public static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}
