package io.howdah.nvmsim.mem;

/**
 * Where the two address spaces lie. Addresses are simulated; they say nothing about the host.
 *
 * @param volatileBase first volatile address, a multiple of {@value #ALIGNMENT}
 * @param volatileLength bytes, a multiple of {@value #ALIGNMENT}
 * @param persistentBase first persistent address, a multiple of {@value #ALIGNMENT}
 * @param persistentLength bytes, a multiple of {@value #ALIGNMENT}
 */
public record SpaceLayout(
    long volatileBase, long volatileLength, long persistentBase, long persistentLength) {
  public static final int ALIGNMENT = 4096;

  public SpaceLayout {
    check("volatile", volatileBase, volatileLength);
    check("persistent", persistentBase, persistentLength);
    if (volatileBase < persistentBase + persistentLength
        && persistentBase < volatileBase + volatileLength) {
      throw new IllegalArgumentException(
          "spaces overlap: volatile 0x"
              + Long.toHexString(volatileBase)
              + "+"
              + volatileLength
              + ", persistent 0x"
              + Long.toHexString(persistentBase)
              + "+"
              + persistentLength);
    }
  }

  private static void check(String space, long base, long length) {
    if (base <= 0
        || length <= 0
        || base + length < base
        || base % ALIGNMENT != 0
        || length % ALIGNMENT != 0) {
      throw new IllegalArgumentException(
          space
              + " space 0x"
              + Long.toHexString(base)
              + "+"
              + length
              + ": base and length must be positive multiples of "
              + ALIGNMENT);
    }
  }

  /** Usual bases with these lengths, rounded up to {@value #ALIGNMENT}. */
  public static SpaceLayout ofLengths(long volatileLength, long persistentLength) {
    return new SpaceLayout(1L << 16, roundUp(volatileLength), 1L << 40, roundUp(persistentLength));
  }

  private static long roundUp(long length) {
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  public boolean isPersistent(long address) {
    return address - persistentBase >= 0 && address - persistentBase < persistentLength;
  }
}
