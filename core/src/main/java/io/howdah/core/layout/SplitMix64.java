package io.howdah.core.layout;

/**
 * The mixing function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) and its constant. Not for
 * secrets.
 */
public final class SplitMix64 {

  /**
   * 2<sup>64</sup> divided by the golden ratio, odd: products with it spread neighbouring numbers
   * over the upper bits (Fibonacci hashing).
   */
  public static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  private SplitMix64() {}

  /** Returns the output of the generator whose state was {@code state} before this step. */
  public static long mix(long state) {
    long z = state + GOLDEN_GAMMA;
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}
