package io.howdah.codec.derived;

import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.EncodingBuffer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;

/**
 * Numbers of any length, in the order of their values, and UUIDs. {@code OrderedKeyLayout} has the
 * bytes.
 */
final class Numbers {

  static final OrderedCodec<BigInteger> BIG_INTEGER = new BigIntegers();
  static final OrderedCodec<BigDecimal> DECIMAL = new Decimals();
  static final OrderedCodec<UUID> UNIQUE_ID =
      new FixedCodec<>(
          "uuid",
          2 * Long.BYTES,
          (v, out) -> {
            out.putBigEndianLong(v.getMostSignificantBits());
            out.putBigEndianLong(v.getLeastSignificantBits());
          },
          in -> new UUID(in.getBigEndianLong(), in.getBigEndianLong()));

  private static final int ZERO = 0x80;
  private static final int MAX_SHORT = 0x7E;
  private static final int LONG_FORM = 0x7F;
  private static final long MAX_EXPONENT = 1L << 33;

  private Numbers() {}

  /** Appends a whole number that fits into 8 bytes as {@link BigIntegers} would. */
  private static void putSmall(long value, Encoder out) {
    int at = out.length();
    long magnitude = Math.abs(value);
    int count = (Long.SIZE - Long.numberOfLeadingZeros(magnitude) + Byte.SIZE - 1) / Byte.SIZE;
    out.putByte(ZERO + count);
    for (int i = count - 1; i >= 0; i--) {
      out.putByte((int) (magnitude >>> (i * Byte.SIZE)));
    }
    if (value < 0) {
      EncodingBuffer.of(out).complementFrom(at);
    }
  }

  /**
   * Returns a whole number that fits into 8 bytes, and is not above a maximum.
   *
   * @param isComplemented whether its bytes are the complement of those that {@link #putSmall} has
   *     appended: then the result is the number's negative, and only a zero tells the difference
   * @throws CodecException if {@link #putSmall} appends other bytes for it
   */
  private static long getSmall(Decoder in, long max, boolean isComplemented) {
    int first = in.getByte() & 0xFF;
    boolean isNegative = first < ZERO;
    int count = (isNegative ? (~first & 0xFF) : first) - ZERO;
    if (count >= Long.BYTES || (count == 0 && isNegative != isComplemented)) {
      throw damaged();
    }
    long magnitude = 0;
    for (int i = 0; i < count; i++) {
      magnitude = (magnitude << Byte.SIZE) | ((isNegative ? ~in.getByte() : in.getByte()) & 0xFF);
    }
    if (magnitude > max || (count > 0 && magnitude >>> ((count - 1) * Byte.SIZE) == 0)) {
      throw damaged();
    }
    return isNegative ? -magnitude : magnitude;
  }

  private static CodecException damaged() {
    return new CodecException(
        "the bytes are no number: they were written by another codec, or are damaged");
  }

  /** The number of bytes, then the bytes; complemented as a whole if the number is negative. */
  private static final class BigIntegers implements Part.OrderedSelfDelimiting<BigInteger> {

    @Override
    public String name() {
      return "integer";
    }

    @Override
    public void encode(BigInteger value, Encoder out) {
      int at = out.length();
      byte[] bytes = value.abs().toByteArray();
      int sign = bytes[0] == 0 ? 1 : 0; // a zero that only says that the number is positive
      int count = bytes.length - sign;
      if (count <= MAX_SHORT) {
        out.putByte(ZERO + count);
      } else {
        out.putByte(ZERO + LONG_FORM);
        out.putBigEndianInt(count);
      }
      out.putBytes(bytes, sign, count);
      if (value.signum() < 0) {
        EncodingBuffer.of(out).complementFrom(at);
      }
    }

    @Override
    public BigInteger decode(Decoder in) {
      int first = in.getByte() & 0xFF;
      boolean isNegative = first < ZERO;
      int count = (isNegative ? (~first & 0xFF) : first) - ZERO;
      if (count == LONG_FORM) {
        count = isNegative ? ~in.getBigEndianInt() : in.getBigEndianInt();
        if (count < LONG_FORM) {
          throw damaged(); // it has a short form, under which its key would not be found
        }
      }
      byte[] bytes = in.getBytes(count);
      for (int i = 0; isNegative && i < count; i++) {
        bytes[i] = (byte) ~bytes[i];
      }
      if (isNegative && count == 0) {
        throw damaged(); // there is one zero, and it is not negative
      }
      if (count > 0 && bytes[0] == 0) {
        throw damaged(); // it has a shorter form
      }
      return new BigInteger(isNegative ? -1 : 1, bytes);
    }
  }

  /**
   * The sign, the exponent of 0.ddd times a power of ten, two digits in each byte, and the scale,
   * which tells 2.0 from 2.00: they compare as equal, and follow one another.
   */
  private static final class Decimals implements Part.OrderedSelfDelimiting<BigDecimal> {

    private static final int NEGATIVE = 0x40;
    private static final int ZERO_VALUE = 0x80;
    private static final int POSITIVE = 0xC0;

    /** Digits of a number for which ten times it fits into 8 bytes. */
    private static final int MAX_LONG_DIGITS = 17;

    /**
     * Zeros at the end are not stored, so few bytes may stand for many digits. Damaged or foreign
     * bytes must not take much more memory than other values of their length. Whole numbers as
     * large as a double have 308.
     */
    private static final int MAX_ZEROS = 512;

    /** Without the zeros at the end: what is longer takes long to convert. */
    private static final int MAX_DIGITS = 1 << 16;

    @Override
    public String name() {
      return "decimal";
    }

    @Override
    public void encode(BigDecimal value, Encoder out) {
      int sign = value.signum();
      out.putByte(sign < 0 ? NEGATIVE : sign == 0 ? ZERO_VALUE : POSITIVE);
      if (sign != 0) {
        int at = out.length();
        putSmall((long) value.precision() - value.scale(), out);
        putDigits(value, out);
        if (sign < 0) {
          EncodingBuffer.of(out).complementFrom(at);
        }
      }
      putSmall(value.scale(), out);
    }

    private static void putDigits(BigDecimal value, Encoder out) {
      if (value.precision() <= MAX_LONG_DIGITS) {
        putDigits(value.unscaledValue().longValue(), value.precision(), out);
      } else {
        putDigits(value.unscaledValue().abs().toString(), out);
      }
      out.putByte(0);
    }

    private static void putDigits(long unscaled, int precision, Encoder out) {
      boolean isOdd = precision % 2 != 0;
      long rest = Math.abs(isOdd ? 10 * unscaled : unscaled);
      long power = 1;
      for (int i = isOdd ? 1 : 2; i < precision; i += 2) {
        power *= 100;
      }
      while (rest != 0) {
        out.putByte((int) (rest / power) + 1);
        rest %= power;
        power /= 100;
      }
    }

    private static void putDigits(String digits, Encoder out) {
      int end = digits.length();
      while (digits.charAt(end - 1) == '0') {
        end--;
      }
      if (end > MAX_DIGITS) {
        throw new CodecException(
            "decimal cannot encode a number of more than " + MAX_DIGITS + " digits: " + end);
      }
      if (digits.length() - end > MAX_ZEROS) {
        throw new CodecException(
            "decimal cannot encode a number that ends with more than "
                + MAX_ZEROS
                + " zeros; strip them with BigDecimal.stripTrailingZeros");
      }
      for (int i = 0; i < end; i += 2) {
        int low = i + 1 < end ? digits.charAt(i + 1) - '0' : 0;
        out.putByte((digits.charAt(i) - '0') * 10 + low + 1);
      }
    }

    @Override
    public BigDecimal decode(Decoder in) {
      int kind = in.getByte() & 0xFF;
      if (kind == ZERO_VALUE) {
        return new BigDecimal(BigInteger.ZERO, scale(in));
      }
      if (kind != NEGATIVE && kind != POSITIVE) {
        throw damaged();
      }
      int mask = kind == NEGATIVE ? 0xFF : 0;
      long exponent = exponent(in, mask != 0);
      StringBuilder digits = new StringBuilder();
      for (int pair = next(in, mask); pair != 0; pair = next(in, mask)) {
        if (pair > 100) {
          throw damaged();
        }
        digits.append((char) ('0' + (pair - 1) / 10)).append((char) ('0' + (pair - 1) % 10));
        if (digits.length() > MAX_DIGITS + 1) {
          throw damaged();
        }
      }
      int scale = scale(in);
      long precision = exponent + scale;
      int end = significant(digits);
      if (precision < end || precision > end + MAX_ZEROS) {
        throw damaged();
      }
      digits.setLength(end);
      digits.repeat('0', (int) precision - end);
      BigInteger unscaled = new BigInteger(digits.toString());
      return new BigDecimal(mask == 0 ? unscaled : unscaled.negate(), scale);
    }

    /**
     * Returns how many of the digits count: all, or all but the zero that fills the last pair.
     *
     * @throws CodecException if there are none, or others than a number is encoded with
     */
    private static int significant(CharSequence digits) {
      int length = digits.length();
      if (length == 0 || digits.charAt(0) == '0') {
        throw damaged();
      }
      int end = digits.charAt(length - 1) == '0' ? length - 1 : length;
      if (digits.charAt(end - 1) == '0') {
        throw damaged();
      }
      return end;
    }

    private static int next(Decoder in, int mask) {
      return (in.getByte() ^ mask) & 0xFF;
    }

    private static long exponent(Decoder in, boolean isComplemented) {
      long exponent = getSmall(in, MAX_EXPONENT, isComplemented);
      return isComplemented ? -exponent : exponent;
    }

    private static int scale(Decoder in) {
      long scale = getSmall(in, 1L << 31, false);
      if ((int) scale != scale) {
        throw damaged();
      }
      return (int) scale;
    }
  }
}
