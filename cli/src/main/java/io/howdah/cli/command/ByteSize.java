package io.howdah.cli.command;

import java.util.Locale;
import java.util.OptionalLong;

/** Numbers of bytes as a person writes them: {@code 64}, {@code 512k}, {@code 1g}. */
public final class ByteSize {

  private ByteSize() {}

  /**
   * Returns the number of bytes.
   *
   * @param unit what a number without a letter counts, in bytes
   * @return nothing if the text is no such number, or one beyond 2<sup>62</sup>
   */
  public static OptionalLong parse(String text, long unit) {
    String digits = text.strip().toLowerCase(Locale.ROOT);
    long factor = unit;
    if (!digits.isEmpty()) {
      int letter = "bkmgt".indexOf(digits.charAt(digits.length() - 1));
      if (letter >= 0) {
        factor = 1L << (10 * letter);
        digits = digits.substring(0, digits.length() - 1);
      }
    }
    if (digits.isEmpty() || digits.length() > 18) {
      return OptionalLong.empty();
    }
    long number = 0;
    for (int i = 0; i < digits.length(); i++) {
      char digit = digits.charAt(i);
      if (digit < '0' || digit > '9') {
        return OptionalLong.empty();
      }
      number = 10 * number + (digit - '0');
    }
    return number > (1L << 62) / factor ? OptionalLong.empty() : OptionalLong.of(number * factor);
  }
}
