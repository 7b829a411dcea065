package io.howdah.codec.bytes;

import io.howdah.codec.CodecException;
import java.nio.charset.StandardCharsets;

/** Strings as UTF-8. */
public final class Utf8 {

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
