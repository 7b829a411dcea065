package io.howdah.server.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes to be sent, which grow at the end. For one thread. */
public final class Reply {

  private static final int INITIAL_CAPACITY = 512;

  private static final VarHandle INT16 = bigEndian(short[].class);
  private static final VarHandle INT32 = bigEndian(int[].class);
  private static final VarHandle INT64 = bigEndian(long[].class);

  private byte[] bytes = new byte[INITIAL_CAPACITY];
  private int length;

  private static VarHandle bigEndian(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.BIG_ENDIAN)
        .withInvokeExactBehavior();
  }

  /** Makes an empty reply. */
  public Reply() {}

  /** Returns the number of bytes. */
  public int length() {
    return length;
  }

  /** Returns the array that holds the bytes, from 0 on. It changes with the next call. */
  public byte[] array() {
    return bytes;
  }

  /** Drops all bytes, and the array if it is larger than a number of bytes. */
  public void clear(int keep) {
    length = 0;
    if (bytes.length > keep) {
      bytes = new byte[INITIAL_CAPACITY];
    }
  }

  /** Drops all bytes; needs no memory. */
  public void forget() {
    length = 0;
  }

  public void truncate(int length) {
    this.length = length;
  }

  public Reply add(byte[] source, int from, int count) {
    reserve(count);
    System.arraycopy(source, from, bytes, length, count);
    length += count;
    return this;
  }

  public Reply add(byte[] source) {
    return add(source, 0, source.length);
  }

  public Reply add(char character) {
    reserve(1);
    bytes[length++] = (byte) character;
    return this;
  }

  /** Appends a text in ASCII. */
  public Reply add(String text) {
    int count = text.length();
    reserve(count);
    for (int i = 0; i < count; i++) {
      bytes[length + i] = (byte) text.charAt(i);
    }
    length += count;
    return this;
  }

  /** Appends the low 16 bits, big-endian. */
  public Reply addInt16(int number) {
    reserve(Short.BYTES);
    INT16.set(bytes, length, (short) number);
    length += Short.BYTES;
    return this;
  }

  /** Appends 32 bits, big-endian. */
  public Reply addInt32(int number) {
    reserve(Integer.BYTES);
    INT32.set(bytes, length, number);
    length += Integer.BYTES;
    return this;
  }

  /** Appends 64 bits, big-endian. */
  public Reply addInt64(long number) {
    reserve(Long.BYTES);
    INT64.set(bytes, length, number);
    length += Long.BYTES;
    return this;
  }

  /** Appends an unsigned number in decimal. */
  public Reply addUnsigned(long number) {
    if (number < 0) {
      long quotient = Long.divideUnsigned(number, 10);
      return addUnsigned(quotient).add((char) ('0' + (number - quotient * 10)));
    }
    int digits = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    reserve(digits);
    long rest = number;
    for (int at = length + digits - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
    return this;
  }

  public Reply endLine() {
    reserve(2);
    bytes[length++] = '\r';
    bytes[length++] = '\n';
    return this;
  }

  private void reserve(int count) {
    if (count > bytes.length - length) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, count), 2 * bytes.length));
    }
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }
}
