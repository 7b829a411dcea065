package io.howdah.server.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A value while it arrives. Takes memory for what has arrived, not for what was announced. */
final class ValueBuffer {

  /** Before a value has arrived, this much of what it announced is taken for true. */
  private static final int FIRST_BYTES = 1 << 14;

  private static final byte[] NONE = {};

  private byte[] bytes = NONE;
  private int length;
  private int announced;

  /** Begins a value of a number of bytes. */
  void begin(int announced) {
    this.announced = announced;
    length = 0;
    bytes = NONE;
  }

  /** Takes what belongs to the value, and returns whether it is complete. */
  boolean take(ByteBuffer input) {
    int count = Math.min(announced - length, input.remaining());
    int needed = length + count;
    if (needed > bytes.length) {
      int capacity = Math.max(needed, Math.max(FIRST_BYTES, 2 * bytes.length));
      bytes = Arrays.copyOf(bytes, Math.min(announced, capacity));
    }
    input.get(bytes, length, count);
    length = needed;
    return length == announced;
  }

  /** Returns the complete value, and forgets it. */
  byte[] end() {
    byte[] value = bytes.length == announced ? bytes : Arrays.copyOf(bytes, announced);
    bytes = NONE;
    return value;
  }

  int heldBytes() {
    return bytes.length;
  }
}
