package io.howdah.server.protocol;

import org.jspecify.annotations.Nullable;

/** Reads decimal numbers as memcached does, without garbage where it can. */
public final class Numbers {

  /** What is returned for a text that is no number of 32 bits. */
  public static final long NOT_A_NUMBER = Long.MIN_VALUE;

  /** As many digits are a number of 64 bits, whatever they are. */
  private static final int SAFE_DIGITS = 18;

  private static final int MAX_STRICT_CHARACTERS = 11;

  private static final long LOW_BITS = 0xffff_ffffL;

  private Numbers() {}

  /** Reads an unsigned 64-bit number; null if it is none. */
  public static @Nullable Long unsigned64(byte[] source, int from, int end) {
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

  /** Reads a number of at most 63 bits without a minus, or returns {@link #NOT_A_NUMBER}. */
  private static long positive(byte[] source, int from, int end) {
    int at = from;
    if (at < end && source[at] == '+') {
      at++;
    }
    int digits = end - at;
    if (digits < 1 || digits > SAFE_DIGITS) {
      Long large = unsigned64(source, from, end); // leading zeros perhaps
      return large == null || large < 0 ? NOT_A_NUMBER : large;
    }
    long number = 0;
    for (; at < end; at++) {
      int digit = source[at] - '0';
      if (digit < 0 || digit > 9) {
        return NOT_A_NUMBER;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /**
   * Reads an unsigned 32-bit number of digits alone, or returns {@link #NOT_A_NUMBER}. memcached
   * takes no more than 11 characters for such a number.
   */
  public static long unsigned32(byte[] source, int from, int end) {
    if (!isStrict(source, from, end)) {
      return NOT_A_NUMBER;
    }
    long number = positive(source, from, end);
    return number >>> Integer.SIZE != 0 ? NOT_A_NUMBER : number;
  }

  /**
   * Reads a signed 32-bit number without a plus, or returns {@link #NOT_A_NUMBER}. As {@link
   * #unsigned32}, of at most 11 characters.
   */
  public static long signed32(byte[] source, int from, int end) {
    if (!isStrict(source, from, end)) {
      return NOT_A_NUMBER;
    }
    long signed = signed64(source, from, end);
    return signed == (int) signed ? signed : NOT_A_NUMBER;
  }

  private static boolean isStrict(byte[] source, int from, int end) {
    return end - from <= MAX_STRICT_CHARACTERS && (from == end || source[from] != '+');
  }

  /**
   * Reads the low 32 bits of a signed 64-bit number, as a signed number, or returns {@link
   * #NOT_A_NUMBER}. So memcached reads most expiries: 2^32 - 1 is -1, and clients send -1 so.
   */
  public static long lowSigned32(byte[] source, int from, int end) {
    if (isMinimum(source, from, end)) {
      return 0;
    }
    long signed = signed64(source, from, end);
    return signed == NOT_A_NUMBER ? NOT_A_NUMBER : (int) signed;
  }

  /** Reads the low 32 bits of an unsigned 64-bit number, or returns {@link #NOT_A_NUMBER}. */
  public static long lowUnsigned32(byte[] source, int from, int end) {
    if (end - from <= SAFE_DIGITS) {
      long number = positive(source, from, end);
      return number == NOT_A_NUMBER ? NOT_A_NUMBER : number & LOW_BITS;
    }
    Long number = unsigned64(source, from, end);
    return number == null ? NOT_A_NUMBER : number & LOW_BITS;
  }

  /** Reads a signed 64-bit number above the smallest, or returns {@link #NOT_A_NUMBER}. */
  private static long signed64(byte[] source, int from, int end) {
    boolean negative = from < end && source[from] == '-';
    if (negative && from + 1 < end && source[from + 1] == '+') {
      return NOT_A_NUMBER;
    }
    long number = positive(source, negative ? from + 1 : from, end);
    return negative && number != NOT_A_NUMBER ? -number : number;
  }

  /**
   * Returns whether a text is the smallest signed 64-bit number, which no long has the minus of.
   */
  private static boolean isMinimum(byte[] source, int from, int end) {
    if (end - from <= SAFE_DIGITS || source[from] != '-' || source[from + 1] == '+') {
      return false;
    }
    Long magnitude = unsigned64(source, from + 1, end);
    return magnitude != null && magnitude == Long.MIN_VALUE;
  }

  /**
   * Reads the number that a value starts with, behind white space: digits up to white space or the
   * end. So a value that was decremented, and padded with spaces, is a number.
   */
  public static @Nullable Long value(byte[] value) {
    int start = 0;
    while (start < value.length && isSpace(value[start])) {
      start++;
    }
    int end = start;
    while (end < value.length && !isSpace(value[end])) {
      end++;
    }
    return unsigned64(value, start, end);
  }

  private static boolean isSpace(byte letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
  }
}
