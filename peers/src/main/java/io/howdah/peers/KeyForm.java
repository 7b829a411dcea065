package io.howdah.peers;

import io.howdah.jmh.peers.PeerKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Keys made of numbers; all forms sort as the numbers do. */
final class KeyForm {

  private static final HexFormat HEX = HexFormat.of();

  private KeyForm() {}

  /** Returns the key as a string of ASCII characters. */
  static String text(long number) {
    return "user" + HEX.toHexDigits(number ^ Long.MIN_VALUE);
  }

  /** Returns what a scan adds up of a key of type long. */
  static long part(long key) {
    return key;
  }

  /** Returns what a scan adds up of a key of type String. */
  static long part(String key) {
    return key.charAt(key.length() - 1);
  }

  /** Returns what a scan adds up of a key that a store returns as bytes, which are decoded. */
  static long part(PeerKeys keys, byte[] key) {
    return switch (keys) {
      case LONG -> part(ByteBuffer.wrap(key).getLong() ^ Long.MIN_VALUE);
      case STRING -> part(new String(key, StandardCharsets.US_ASCII));
    };
  }

  /** Returns what a scan adds up of a value: a byte, so that the array cannot be left out. */
  static long part(byte[] value) {
    return value.length == 0 ? 0 : value[value.length - 1];
  }

  /** Returns the key for a store whose keys are bytes. */
  static byte[] bytes(PeerKeys keys, long number) {
    return switch (keys) {
      case LONG -> ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array();
      case STRING -> text(number).getBytes(StandardCharsets.US_ASCII);
    };
  }
}
