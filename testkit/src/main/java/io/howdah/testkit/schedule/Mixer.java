package io.howdah.testkit.schedule;

import io.howdah.core.layout.SplitMix64;

/** Mixes words into one whose bits are spread well ({@link SplitMix64}). Not for secrets. */
public final class Mixer {

  private Mixer() {}

  /** Mixes one word. */
  public static long mix(long word) {
    return SplitMix64.mix(word);
  }

  /** Mixes two words; their order counts. */
  public static long mix(long a, long b) {
    return mix(mix(a) ^ b);
  }

  /** Mixes three words; their order counts. */
  public static long mix(long a, long b, long c) {
    return mix(mix(a, b) ^ c);
  }
}
