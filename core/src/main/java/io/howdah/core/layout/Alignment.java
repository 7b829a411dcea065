package io.howdah.core.layout;

/** Rounding to powers of two, and the page. */
public final class Alignment {

  /**
   * Bytes of a page of memory, and the largest unit that a device wants direct reads and writes
   * aligned to.
   */
  public static final int PAGE_BYTES = 4096;

  private Alignment() {}

  /**
   * Returns the smallest multiple of {@code alignment} that is at least {@code value}.
   *
   * @param value not negative, and at least {@code alignment} below the largest long
   * @param alignment a power of two
   */
  public static long up(long value, long alignment) {
    return (value + alignment - 1) & -alignment;
  }

  /**
   * Returns the largest multiple of {@code alignment}, a power of two, that is at most {@code
   * value}.
   */
  public static long down(long value, long alignment) {
    return value & -alignment;
  }

  /** Returns whether {@code value} is a multiple of {@code alignment}, a power of two. */
  public static boolean isAligned(long value, long alignment) {
    return (value & (alignment - 1)) == 0;
  }

  /** Returns whether {@code value} is a power of two; zero and negative numbers are not. */
  public static boolean isPowerOfTwo(long value) {
    return value > 0 && Long.bitCount(value) == 1;
  }
}
