package io.howdah.codec;

/**
 * The codecs of primitive values, big-endian with the sign inverted, so that order holds, and of
 * byte arrays.
 */
final class Primitives {

  static final OrderedCodec<byte[]> BYTES = ByteArrayCodec.INSTANCE;
  static final OrderedCodec<Long> INT64 = Int64Codec.INSTANCE;
  static final OrderedCodec<Integer> INT32 = Int32Codec.INSTANCE;
  static final OrderedCodec<Short> INT16 =
      new FixedCodec<>(
          "int16",
          Short.BYTES,
          (v, out) -> {
            out.putByte((v >> 8) ^ 0x80);
            out.putByte(v);
          },
          in -> (short) ((in.getByte() ^ 0x80) << 8 | (in.getByte() & 0xFF)));
  static final OrderedCodec<Byte> INT8 =
      new FixedCodec<>(
          "int8", 1, (v, out) -> out.putByte(v ^ 0x80), in -> (byte) (in.getByte() ^ 0x80));
  static final OrderedCodec<Boolean> BOOL =
      new FixedCodec<>("bool", 1, (v, out) -> out.putByte(v ? 1 : 0), in -> in.getByte() != 0);
  static final OrderedCodec<Character> CHARACTER =
      new FixedCodec<>(
          "char16",
          Character.BYTES,
          (v, out) -> {
            out.putByte(v >> 8);
            out.putByte(v);
          },
          in -> (char) ((in.getByte() & 0xFF) << 8 | (in.getByte() & 0xFF)));
  static final OrderedCodec<Double> FLOAT64 =
      new FixedCodec<>(
          "float64",
          Double.BYTES,
          (v, out) -> out.putBigEndianLong(ordered(Double.doubleToLongBits(v))),
          in -> Double.longBitsToDouble(unordered(in.getBigEndianLong())));
  static final OrderedCodec<Float> FLOAT32 =
      new FixedCodec<>(
          "float32",
          Float.BYTES,
          (v, out) -> out.putBigEndianInt(ordered(Float.floatToIntBits(v))),
          in -> Float.intBitsToFloat(unordered(in.getBigEndianInt())));

  private Primitives() {}

  // Negative floating-point numbers descend as their bits ascend, so all their bits turn round; of
  // the others, the sign does.
  static long ordered(long bits) {
    return bits ^ (bits >> 63 | Long.MIN_VALUE);
  }

  static long unordered(long bits) {
    return bits ^ (~bits >> 63 | Long.MIN_VALUE);
  }

  private static int ordered(int bits) {
    return bits ^ (bits >> 31 | Integer.MIN_VALUE);
  }

  private static int unordered(int bits) {
    return bits ^ (~bits >> 31 | Integer.MIN_VALUE);
  }
}
