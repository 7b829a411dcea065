package io.howdah.codec.bytes;

import io.howdah.codec.CodecException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Strings as UTF-8. */
public final class Utf8 {

  /** What the JDK puts in the place of bytes that are no UTF-8. Strings may have it, too. */
  static final char REPLACEMENT = '\uFFFD';

  private Utf8() {}

  /**
   * Returns a string's bytes. The JDK would replace unpaired surrogates by question marks, which
   * would make different keys equal.
   */
  public static byte[] bytes(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    boolean mayHaveReplaced = bytes.length != value.length();
    for (int i = 0; !mayHaveReplaced && i < bytes.length; i++) {
      mayHaveReplaced = bytes[i] == '?';
    }
    if (mayHaveReplaced) {
      requirePairs(value);
    }
    return bytes;
  }

  /**
   * Requires that bytes are those of a string. The JDK would make one string of different bytes: a
   * key with such bytes would not be found by the string.
   *
   * @throws CodecException if they are no UTF-8
   */
  static void requireBytes(String value, byte[] source, int offset, int count) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    int at = Arrays.mismatch(bytes, 0, bytes.length, source, offset, offset + count);
    if (at >= 0) {
      throw new CodecException(
          "the bytes of a string are no UTF-8, from byte "
              + at
              + " on: they were written by another codec, or are damaged");
    }
  }

  private static void requirePairs(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < value.length()
          && Character.isLowSurrogate(value.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new CodecException(
            "utf8 cannot encode a string with an unpaired surrogate, at index " + i);
      }
    }
  }
}
