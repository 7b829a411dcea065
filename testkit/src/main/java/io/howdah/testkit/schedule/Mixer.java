package io.howdah.testkit.schedule;

/** Mixes words into well spread ones (the finisher of SplitMix64). Not for secrets. */
public final class Mixer {

  private Mixer() {}

  public static long mix(long word) {
    long z = word + 0x9E37_79B9_7F4A_7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }

  public static long mix(long a, long b) {
    return mix(mix(a) ^ b);
  }

  public static long mix(long a, long b, long c) {
    return mix(mix(a, b) ^ c);
  }
}
