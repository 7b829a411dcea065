package io.howdah.nvmsim.trace;

import java.nio.ByteBuffer;

/** Base-128 integers, low group first, as the trace file uses them. */
final class Varint {
  private Varint() {}

  static void put(ByteBuffer out, long value) {
    while ((value & ~0x7FL) != 0) {
      out.put((byte) (value | 0x80));
      value >>>= 7;
    }
    out.put((byte) value);
  }

  static void putSigned(ByteBuffer out, long value) {
    put(out, (value << 1) ^ (value >> 63));
  }

  /**
   * Reads an unsigned number.
   *
   * @throws IllegalArgumentException if it runs past the buffer or past 64 bits
   */
  static long get(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (!in.hasRemaining()) {
        throw new IllegalArgumentException("number runs past the end of its chunk");
      }
      byte group = in.get();
      if (shift == 63 && (group & 0xFE) != 0) {
        break;
      }
      value |= (group & 0x7FL) << shift;
      if (group >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("number longer than 64 bits");
  }

  static long getSigned(ByteBuffer in) {
    long value = get(in);
    return (value >>> 1) ^ -(value & 1);
  }
}
