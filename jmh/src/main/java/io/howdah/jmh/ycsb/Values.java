package io.howdah.jmh.ycsb;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/**
 * The values of a load, which tell whether they are what was written under their key: the record's
 * number, the version that a writer drew, and a text that follows from both. Immutable.
 */
public final class Values {

  /** The smallest value: number and version. */
  public static final int MIN_BYTES = 2 * Long.BYTES;

  /** The largest value: what memcached takes by default, less what it needs for the item. */
  public static final int MAX_BYTES = 1_000_000;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int PLACES = 1 << 12;
  private static final int LETTERS = 26;
  private static final long SEED = 5;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final int length;
  private final byte[] text;

  /** Describes values of so many bytes, {@value #MIN_BYTES} to {@value #MAX_BYTES}. */
  public Values(int length) {
    if (length < MIN_BYTES || length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value has %,d to %,d bytes, not %,d".formatted(MIN_BYTES, MAX_BYTES, length));
    }
    this.length = length;
    text = new byte[PLACES + length];
    Random random = new Random(SEED);
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + random.nextInt(LETTERS));
    }
  }

  /** Returns the length of each. */
  public int length() {
    return length;
  }

  /** Writes a value and returns where it ends. */
  int write(long number, long version, byte[] target, int offset) {
    LONG.set(target, offset, number);
    LONG.set(target, offset + Long.BYTES, version);
    int rest = length - MIN_BYTES;
    System.arraycopy(text, place(number, version), target, offset + MIN_BYTES, rest);
    return offset + length;
  }

  /** Returns whether bytes are a value of this record, of whatever version. */
  boolean isOf(long number, byte[] bytes, int offset, int end) {
    if (end - offset != length || (long) LONG.get(bytes, offset) != number) {
      return false;
    }
    int place = place(number, version(bytes, offset));
    int rest = length - MIN_BYTES;
    return Arrays.equals(bytes, offset + MIN_BYTES, end, text, place, place + rest);
  }

  static long version(byte[] bytes, int offset) {
    return (long) LONG.get(bytes, offset + Long.BYTES);
  }

  private static int place(long number, long version) {
    return (int) (((number ^ version) * MULTIPLIER) >>> (Long.SIZE - 12));
  }
}
