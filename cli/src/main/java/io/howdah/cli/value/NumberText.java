package io.howdah.cli.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Numbers as text: digits 0 to 9, a minus before a negative number, of others than whole ones a
 * point and an exponent. The JDK's own methods also take blanks, a plus, digits of other scripts,
 * hexadecimal digits and the suffixes of Java, and make an infinity or a zero of a number that the
 * type does not have: then the store would hold another number than the one that was written.
 */
public final class NumberText {

  private static final Pattern WHOLE = Pattern.compile("-?[0-9]+");
  private static final Pattern DECIMAL =
      Pattern.compile("-?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern ZERO = Pattern.compile("-?[0.]+(?:[eE].*)?");

  /** What floating-point numbers have beside numbers, as Java writes them. */
  private static final Set<String> NO_NUMBERS = Set.of("NaN", "Infinity", "-Infinity");

  private NumberText() {}

  /**
   * Returns a whole number.
   *
   * @throws IllegalArgumentException if the text is none in the range; says which
   */
  public static long whole(String text, long min, long max) {
    requireWhole(text);
    long number;
    try {
      number = Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw range(min, max, e);
    }
    if (number < min || number > max) {
      throw range(min, max, null);
    }
    return number;
  }

  private static void requireWhole(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "a whole number has digits 0 to 9, and - before it if it is negative");
    }
  }

  private static IllegalArgumentException range(long min, long max, @Nullable Throwable cause) {
    return new IllegalArgumentException("the range is %d to %d".formatted(min, max), cause);
  }

  /** Returns an int64. */
  public static long int64(String text) {
    return whole(text, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** Returns an int32. */
  public static int int32(String text) {
    return (int) whole(text, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /**
   * Returns the float64 that is nearest to a number, or what {@link Double#toString} writes for
   * those that are none.
   *
   * @throws IllegalArgumentException if the text is no number, or its float64 is infinite, or 0 and
   *     the number is not
   */
  public static double float64(String text) {
    double number = Double.parseDouble(decimal(text));
    requireInRange(
        text, Double.isInfinite(number), number == 0, Double.MIN_VALUE, Double.MAX_VALUE);
    return number;
  }

  /** Returns the float32 that is nearest to a number; see {@link #float64}. */
  public static float float32(String text) {
    float number = Float.parseFloat(decimal(text));
    requireInRange(text, Float.isInfinite(number), number == 0, Float.MIN_VALUE, Float.MAX_VALUE);
    return number;
  }

  private static void requireInRange(
      String text, boolean isInfinite, boolean isZero, Number least, Number most) {
    boolean isLost =
        (isInfinite && !NO_NUMBERS.contains(text)) || (isZero && !ZERO.matcher(text).matches());
    if (isLost) {
      throw new IllegalArgumentException(
          "numbers other than 0 are %s to %s, or - before that".formatted(least, most));
    }
  }

  private static String decimal(String text) {
    if (!NO_NUMBERS.contains(text)) {
      requireDecimal(text);
    }
    return text;
  }

  private static void requireDecimal(String text) {
    if (!DECIMAL.matcher(text).matches()) {
      throw new IllegalArgumentException("a number is written as -12, 0.5 or 1.5e-7");
    }
  }

  static BigInteger bigInteger(String text) {
    requireWhole(text);
    return new BigInteger(text);
  }

  static BigDecimal bigDecimal(String text) {
    requireDecimal(text);
    return new BigDecimal(text);
  }
}
