package io.howdah.codec.bytes;

import io.howdah.codec.CodecException;
import io.howdah.core.layout.OrderedKeyLayout;

/**
 * The bits of floating-point numbers in keys and values. A NaN has one form: keys are compared by
 * their bytes, and a key with another form would not be found.
 */
public final class FloatBits {

  private static final long NAN_64 = ordered(Double.NaN);
  private static final int NAN_32 = ordered(Float.NaN);

  private FloatBits() {}

  /** Returns the bits of a number; unsigned, they have the order of {@link Double#compare}. */
  public static long ordered(double value) {
    return OrderedKeyLayout.ordered(Double.doubleToLongBits(value));
  }

  /** Returns the bits of a number; unsigned, they have the order of {@link Float#compare}. */
  public static int ordered(float value) {
    int bits = Float.floatToIntBits(value);
    return bits ^ (bits >> 31 | Integer.MIN_VALUE);
  }

  /**
   * Returns the number that has bits.
   *
   * @throws CodecException if they are another form of NaN
   */
  public static double float64(long ordered) {
    double value = Double.longBitsToDouble(OrderedKeyLayout.unordered(ordered));
    if (Double.isNaN(value) && ordered != NAN_64) {
      throw otherNan();
    }
    return value;
  }

  /**
   * Returns the number that has bits.
   *
   * @throws CodecException if they are another form of NaN
   */
  public static float float32(int ordered) {
    float value = Float.intBitsToFloat(ordered ^ (~ordered >> 31 | Integer.MIN_VALUE));
    if (Float.isNaN(value) && ordered != NAN_32) {
      throw otherNan();
    }
    return value;
  }

  private static CodecException otherNan() {
    return new CodecException(
        "a NaN has another form than the one that is stored: the bytes were written by another"
            + " codec, or are damaged");
  }
}
