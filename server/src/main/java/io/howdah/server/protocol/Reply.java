package io.howdah.server.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes to be sent, which grow at the end. For one thread. */
public final class Reply {

  private static final int INITIAL_CAPACITY = 512;

  private byte[] bytes = new byte[INITIAL_CAPACITY];
  private int length;

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

  void truncate(int length) {
    this.length = length;
  }

  Reply add(byte[] source, int from, int count) {
    reserve(count);
    System.arraycopy(source, from, bytes, length, count);
    length += count;
    return this;
  }

  Reply add(byte[] source) {
    return add(source, 0, source.length);
  }

  Reply add(char character) {
    reserve(1);
    bytes[length++] = (byte) character;
    return this;
  }

  /** Appends a text in ASCII. */
  Reply add(String text) {
    return add(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Appends an unsigned number in decimal. */
  Reply addUnsigned(long number) {
    return add(Long.toUnsignedString(number));
  }

  Reply endLine() {
    return add('\r').add('\n');
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
