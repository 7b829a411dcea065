package io.howdah.core.layout;

/**
 * How the parts of a key follow one another, so that the bytes of keys, compared unsigned and one
 * by one with the shorter first, have the order of the parts. Big-endian.
 *
 * <pre>
 *        0              1              2              3
 *
 *  part of a fixed length: its bytes
 *    0 | bytes ...
 *
 *  part of any length: its bytes, with 00 FF for each 00, then 00 01
 *    0 | bytes ...                     |
 *
 *  part that may be absent
 *    0 | present      | part ...       |  0 = absent, and no part follows; 1 = present
 * </pre>
 *
 * <p>A part in descending order has the complement of all these bytes. Numbers have the sign bit
 * inverted; floating-point numbers below 0 have all bits inverted.
 *
 * <p>A whole number of any length is 80 plus the number of its bytes, up to 7E; or FF and that
 * number in 4 bytes; then its bytes. A decimal number is 40, 80 or C0 for its sign; unless it is 0,
 * the whole number e and the decimal digits 0.ddd times 10<sup>e</sup>, two in each byte, plus 1,
 * without zeros at the end, then 00; then its scale, a whole number. What is negative has the
 * complement of all its bytes but the sign's and the scale's.
 *
 * <p>A value has one form, since keys are found by their bytes: numbers of bytes are the least that
 * suffice, a zero is not negative, there is one NaN, and strings are well-formed UTF-8. Decoders
 * refuse all others.
 */
public final class OrderedKeyLayout {

  /** Stands before {@link #END} and {@link #ESCAPED_ZERO}. */
  public static final byte ESCAPE = 0;

  /** Ends a part. */
  public static final byte END = 1;

  /** Makes a zero of the byte before it. */
  public static final byte ESCAPED_ZERO = (byte) 0xFF;

  /** Offset of whether a part is there. */
  public static final int PRESENT_OFFSET = 0;

  /** Offset of a part that is there. */
  public static final int PART_OFFSET = PRESENT_OFFSET + 1;

  private OrderedKeyLayout() {}

  /**
   * Returns the bits of a floating-point number as a key has them: all bits of negative numbers and
   * the sign bit of the others are inverted. Then unsigned comparison has the numbers' order.
   */
  public static long ordered(long bits) {
    return bits ^ (bits >> 63 | Long.MIN_VALUE);
  }

  /** Returns the bits of a floating-point number that a key has. */
  public static long unordered(long bits) {
    return bits ^ (~bits >> 63 | Long.MIN_VALUE);
  }
}
