package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Bytes of codecs, for tests. */
final class CodecBytes {

  private CodecBytes() {}

  static <T> byte[] encode(Codec<T> codec, T value) {
    EncodingBuffer out = new EncodingBuffer();
    codec.encode(value, out);
    return Arrays.copyOf(out.array(), out.length());
  }

  static <T> T decode(Codec<T> codec, byte[] bytes) {
    DecodingBuffer in = new DecodingBuffer();
    in.wrap(bytes, 0, bytes.length);
    return codec.decode(in);
  }

  static <T> T roundTrip(Codec<T> codec, T value) {
    return decode(codec, encode(codec, value));
  }

  static <T> String hex(Codec<T> codec, T value) {
    return HexFormat.of().formatHex(encode(codec, value));
  }

  /** Compares as sorted maps do. */
  static <T> int compare(Codec<T> codec, T a, T b) {
    return Integer.signum(Arrays.compareUnsigned(encode(codec, a), encode(codec, b)));
  }
}
