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

  /** Returns the key for a store whose keys are bytes. */
  static byte[] bytes(PeerKeys keys, long number) {
    return switch (keys) {
      case LONG -> ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array();
      case STRING -> text(number).getBytes(StandardCharsets.US_ASCII);
    };
  }
}
