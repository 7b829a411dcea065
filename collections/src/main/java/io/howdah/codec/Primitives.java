package io.howdah.codec;

import io.howdah.core.layout.OrderedKeyLayout;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The codecs of primitive values, big-endian with the sign inverted, so that order holds, and of
 * byte arrays. Those that nearly every program uses are classes with an instance each: to use one
 * does not make the others.
 */
final class Primitives {

  static final OrderedCodec<byte[]> BYTES = Bytes.INSTANCE;
  static final OrderedCodec<Long> INT64 = Int64.INSTANCE;
  static final OrderedCodec<Integer> INT32 = Int32.INSTANCE;
  static final OrderedCodec<Short> INT16 =
      new Fixed<>(
          "int16",
          Short.BYTES,
          (v, out) -> {
            out.putByte((v >> 8) ^ 0x80);
            out.putByte(v);
          },
          in -> (short) ((in.getByte() ^ 0x80) << 8 | (in.getByte() & 0xFF)));
  static final OrderedCodec<Byte> INT8 =
      new Fixed<>("int8", 1, (v, out) -> out.putByte(v ^ 0x80), in -> (byte) (in.getByte() ^ 0x80));
  static final OrderedCodec<Boolean> BOOL =
      new Fixed<>("bool", 1, (v, out) -> out.putByte(v ? 1 : 0), Primitives::bool);
  static final OrderedCodec<Character> CHARACTER =
      new Fixed<>(
          "char16",
          Character.BYTES,
          (v, out) -> {
            out.putByte(v >> 8);
            out.putByte(v);
          },
          in -> (char) ((in.getByte() & 0xFF) << 8 | (in.getByte() & 0xFF)));
  static final OrderedCodec<Double> FLOAT64 =
      new Fixed<>(
          "float64",
          Double.BYTES,
          (v, out) -> out.putBigEndianLong(ordered(v)),
          in -> float64(in.getBigEndianLong()));
  static final OrderedCodec<Float> FLOAT32 =
      new Fixed<>(
          "float32",
          Float.BYTES,
          (v, out) -> out.putBigEndianInt(ordered(v)),
          in -> float32(in.getBigEndianInt()));

  private Primitives() {}

  /**
   * Values of one length that call no code of the program. A record, since the JIT trusts its
   * fields. {@code derived.FixedCodec} is the same: this package must not depend on that one, and a
   * shared class would be public.
   */
  private record Fixed<T>(
      String name, int fixedLength, BiConsumer<T, Encoder> encoder, Function<Decoder, T> decoder)
      implements OrderedCodec<T> {

    @Override
    public void encode(T value, Encoder out) {
      encoder.accept(value, out);
    }

    @Override
    public T decode(Decoder in) {
      return decoder.apply(in);
    }
  }

  private static long ordered(double value) {
    return OrderedKeyLayout.ordered(Double.doubleToLongBits(value));
  }

  // As OrderedKeyLayout has them, in 4 bytes.
  private static int ordered(float value) {
    int bits = Float.floatToIntBits(value);
    return bits ^ (bits >> 31 | Integer.MIN_VALUE);
  }

  private static double float64(long ordered) {
    double value = Double.longBitsToDouble(OrderedKeyLayout.unordered(ordered));
    if (Double.isNaN(value) && ordered != ordered(Double.NaN)) {
      throw otherNan();
    }
    return value;
  }

  private static float float32(int ordered) {
    float value = Float.intBitsToFloat(ordered ^ (~ordered >> 31 | Integer.MIN_VALUE));
    if (Float.isNaN(value) && ordered != ordered(Float.NaN)) {
      throw otherNan();
    }
    return value;
  }

  /** Keys are compared by their bytes: one with another form of NaN would not be found. */
  private static CodecException otherNan() {
    return new CodecException(
        "a NaN has another form than the one that is stored: the bytes were written by another"
            + " codec, or are damaged");
  }

  private static boolean bool(Decoder in) {
    byte value = in.getByte();
    if ((value & ~1) != 0) {
      throw new CodecException(
          "a truth value is 0 or 1, not "
              + value
              + ": the bytes were written by another codec, or are damaged");
    }
    return value != 0;
  }

  /** The most frequent codec, in a class of its own so that calls of it can be inlined. */
  static final class Int64 implements OrderedCodec<Long> {

    static final Int64 INSTANCE = new Int64();

    private Int64() {}

    @Override
    public String name() {
      return "int64";
    }

    @Override
    public int fixedLength() {
      return Long.BYTES;
    }

    @Override
    public void encode(Long value, Encoder out) {
      out.putBigEndianLong(value ^ Long.MIN_VALUE);
    }

    @Override
    public Long decode(Decoder in) {
      return in.getBigEndianLong() ^ Long.MIN_VALUE;
    }
  }

  /** The codec of the lengths in maps, which every map uses. */
  static final class Int32 implements OrderedCodec<Integer> {

    static final Int32 INSTANCE = new Int32();

    private Int32() {}

    @Override
    public String name() {
      return "int32";
    }

    @Override
    public int fixedLength() {
      return Integer.BYTES;
    }

    @Override
    public void encode(Integer value, Encoder out) {
      out.putBigEndianInt(value ^ Integer.MIN_VALUE);
    }

    @Override
    public Integer decode(Decoder in) {
      return in.getBigEndianInt() ^ Integer.MIN_VALUE;
    }
  }

  /** Byte arrays, as they are. */
  static final class Bytes implements OrderedCodec<byte[]> {

    static final Bytes INSTANCE = new Bytes();

    private Bytes() {}

    @Override
    public String name() {
      return "bytes";
    }

    @Override
    public void encode(byte[] value, Encoder out) {
      out.putBytes(value, 0, value.length);
    }

    @Override
    public void encodePrefix(Encoder out, @Nullable Object... parts) {
      if (parts.length != 1 || !(parts[0] instanceof byte[] beginning)) {
        throw new CodecException(
            "an array of bytes begins with one array of bytes, not with "
                + Prefix.of(parts).types());
      }
      out.putBytes(beginning);
    }

    @Override
    public byte[] decode(Decoder in) {
      return in.getBytes(in.remaining());
    }
  }
}
