package io.howdah.nvmsim.trace;

/** Numbers of foreign text traces. */
final class HexNumber {
  private HexNumber() {}

  /** Parses hexadecimal digits, without or with {@code 0x}. */
  static long hex(String text) {
    String digits = text.startsWith("0x") ? text.substring(2) : text;
    try {
      return Long.parseUnsignedLong(digits, 16);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException("'" + text + "' is no hexadecimal number");
    }
  }

  /** Parses hexadecimal digits after {@code 0x}, else decimal ones. */
  static long any(String text) {
    if (text.startsWith("0x")) {
      return hex(text);
    }
    try {
      return Long.parseUnsignedLong(text);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException("'" + text + "' is no number");
    }
  }

  /** A size of 1 byte to the longest access. */
  static int size(long bytes) {
    if (bytes <= 0 || bytes > Event.MAX_ACCESS_LENGTH) {
      throw new IllegalArgumentException(
          "access of " + bytes + " bytes, must be 1 to " + Event.MAX_ACCESS_LENGTH);
    }
    return (int) bytes;
  }
}
