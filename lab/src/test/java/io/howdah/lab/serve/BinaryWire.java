package io.howdah.lab.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.howdah.crashtest.serve.TextConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Requests and responses of the binary protocol. */
final class BinaryWire {

  static final int GET = 0x00;
  static final int SET = 0x01;
  static final int ADD = 0x02;
  static final int REPLACE = 0x03;
  static final int DELETE = 0x04;
  static final int INCREMENT = 0x05;
  static final int DECREMENT = 0x06;
  static final int NOOP = 0x0a;
  static final int GETK = 0x0c;
  static final int APPEND = 0x0e;
  static final int PREPEND = 0x0f;
  static final int TOUCH = 0x1c;
  static final int GAT = 0x1d;

  static final int GETQ = 0x09;
  static final int GETKQ = 0x0d;
  static final int SETQ = 0x11;
  static final int DELETEQ = 0x14;
  static final int INCREMENTQ = 0x15;
  static final int APPENDQ = 0x19;
  static final int PREPENDQ = 0x1a;

  private static final int HEADER_BYTES = 24;

  private BinaryWire() {}

  /** Returns a request; its opaque is its length, so that responses tell whose they are. */
  static byte[] request(int opcode, byte[] extras, String key, String value, long cas) {
    byte[] keyBytes = key.getBytes(ISO_8859_1);
    byte[] valueBytes = value.getBytes(ISO_8859_1);
    int body = extras.length + keyBytes.length + valueBytes.length;
    return ByteBuffer.allocate(HEADER_BYTES + body)
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) keyBytes.length)
        .put((byte) extras.length)
        .put(new byte[3])
        .putInt(body)
        .putInt(HEADER_BYTES + body)
        .putLong(cas)
        .put(extras)
        .put(keyBytes)
        .put(valueBytes)
        .array();
  }

  /** Returns a request without extras. */
  static byte[] request(int opcode, String key, String value) {
    return request(opcode, new byte[0], key, value, 0);
  }

  /** Returns a request that stores a value. */
  static byte[] store(int opcode, int flags, int expiry, String key, String value, long cas) {
    byte[] extras = ByteBuffer.allocate(8).putInt(flags).putInt(expiry).array();
    return request(opcode, extras, key, value, cas);
  }

  /** Returns a request that counts; an expiry of -1 makes no item. */
  static byte[] count(int opcode, String key, long delta, long initial, int expiry) {
    byte[] extras = ByteBuffer.allocate(20).putLong(delta).putLong(initial).putInt(expiry).array();
    return request(opcode, extras, key, "", 0);
  }

  /** Returns a request that sets an expiry. */
  static byte[] touch(int opcode, String key, int expiry) {
    return request(opcode, ByteBuffer.allocate(4).putInt(expiry).array(), key, "", 0);
  }

  /**
   * Returns the responses up to that of a NOOP. Of the CAS value they tell whether there is one:
   * servers number differently.
   */
  static List<String> responses(TextConnection connection) throws IOException {
    List<String> responses = new ArrayList<>();
    while (true) {
      ByteBuffer header = ByteBuffer.wrap(connection.bytes(HEADER_BYTES));
      int opcode = header.get(1);
      int key = header.getShort(2);
      int extras = header.get(4);
      byte[] body = connection.bytes(header.getInt(8));
      if (opcode == NOOP) {
        return responses;
      }
      responses.add(
          String.format(
              "magic=%x opcode=%x status=%x opaque=%d cas=%b extras=%s key=%s value=%s",
              header.get(0),
              opcode,
              header.getShort(6),
              header.getInt(12),
              header.getLong(16) != 0,
              HexFormat.of().formatHex(body, 0, extras),
              new String(body, extras, key, ISO_8859_1),
              new String(body, extras + key, body.length - extras - key, ISO_8859_1)));
    }
  }
}
