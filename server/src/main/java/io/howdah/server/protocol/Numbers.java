package io.howdah.server.protocol;

import org.jspecify.annotations.Nullable;

/** Reads decimal numbers as memcached does. Null means: not a number of that range. */
final class Numbers {

  private Numbers() {}

  /** Reads an unsigned 64-bit number. */
  static @Nullable Long unsigned64(byte[] source, int from, int end) {
    int at = from;
    if (at < end && source[at] == '+') {
      at++;
    }
    if (at == end) {
      return null;
    }
    long number = 0;
    for (; at < end; at++) {
      int digit = source[at] - '0';
      if (digit < 0 || digit > 9) {
        return null;
      }
      if (Long.compareUnsigned(number, Long.divideUnsigned(-1L - digit, 10)) > 0) {
        return null;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** Reads an unsigned 32-bit number. */
  static @Nullable Integer unsigned32(byte[] source, int from, int end) {
    Long number = unsigned64(source, from, end);
    return number == null || number < 0 || number >>> Integer.SIZE != 0 ? null : number.intValue();
  }

  /** Reads a signed 32-bit number. */
  static @Nullable Integer signed32(byte[] source, int from, int end) {
    boolean negative = from < end && source[from] == '-';
    Long number =
        negative && from + 1 < end && source[from + 1] == '+'
            ? null
            : unsigned64(source, negative ? from + 1 : from, end);
    if (number == null || number < 0) {
      return null;
    }
    long signed = negative ? -number : number;
    return signed == (int) signed ? (Integer) (int) signed : null;
  }

  /**
   * Reads the number that a value starts with: digits up to white space or the end. So a value that
   * was decremented, and padded with spaces, is a number.
   */
  static @Nullable Long value(byte[] value) {
    int end = 0;
    while (end < value.length && value[end] != ' ' && (value[end] < '\t' || value[end] > '\r')) {
      end++;
    }
    return unsigned64(value, 0, end);
  }
}
