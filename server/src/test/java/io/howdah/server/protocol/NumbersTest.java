package io.howdah.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Beside numbers without a limit: every short text of some letters, and those around each limit.
 */
final class NumbersTest {

  private static final String LETTERS = "+-0189 /:\t\r\u000e";

  private static final int LONGEST = 4;

  @Test
  void textsAreReadAsNumbersWithoutALimitAre() {
    for (String text : texts()) {
      byte[] bytes = ("7" + text + "7").getBytes(StandardCharsets.ISO_8859_1);
      int end = bytes.length - 1;
      BigInteger number = unsigned(text);
      assertThat(Numbers.unsigned64(bytes, 1, end)).as(text).isEqualTo(within(number, 64));
      boolean isStrict = !text.startsWith("+") && text.length() <= 11;
      assertThat(Numbers.unsigned32(bytes, 1, end))
          .as(text)
          .isEqualTo(orNone(isStrict ? within(number, 32) : null));
      BigInteger signed = signed(text);
      assertThat(Numbers.signed32(bytes, 1, end))
          .as(text)
          .isEqualTo(
              isStrict && signed != null && signed.bitLength() <= 31
                  ? signed.longValue()
                  : Numbers.NOT_A_NUMBER);
      assertThat(Numbers.lowSigned32(bytes, 1, end))
          .as(text)
          .isEqualTo(
              signed != null && signed.bitLength() <= 63
                  ? signed.intValue()
                  : Numbers.NOT_A_NUMBER);
      assertThat(Numbers.lowUnsigned32(bytes, 1, end))
          .as(text)
          .isEqualTo(
              number != null && number.bitLength() <= 64
                  ? Integer.toUnsignedLong(number.intValue())
                  : Numbers.NOT_A_NUMBER);
    }
  }

  @Test
  void aValueIsTheNumberBetweenWhiteSpace() {
    for (String text : texts()) {
      String first =
          text.replaceFirst("^[ \t\n\u000b\f\r]+", "").replaceFirst("(?s)[ \t\n\u000b\f\r].*", "");
      assertThat(Numbers.value(text.getBytes(StandardCharsets.ISO_8859_1)))
          .as(text)
          .isEqualTo(within(unsigned(first), 64));
    }
  }

  private static List<String> texts() {
    List<String> texts = new ArrayList<>(List.of(""));
    for (int from = 0, length = 1; length <= LONGEST; length++) {
      int end = texts.size();
      for (; from < end; from++) {
        for (int i = 0; i < LETTERS.length(); i++) {
          texts.add(texts.get(from) + LETTERS.charAt(i));
        }
      }
    }
    Random random = new Random(1);
    for (int bits : new int[] {31, 32, 59, 60, 63, 64, 65, 80}) {
      for (int near = -12; near <= 12; near++) {
        BigInteger number = BigInteger.ONE.shiftLeft(bits).add(BigInteger.valueOf(near));
        for (String sign : List.of("", "+", "-")) {
          texts.add(sign + number);
          texts.add(sign + "0".repeat(random.nextInt(20)) + number);
          texts.add(sign + number + " ");
        }
      }
    }
    for (int digits = 17; digits <= 21; digits++) {
      texts.add("9".repeat(digits));
      texts.add("0".repeat(digits));
      texts.add("+" + "0".repeat(digits - 1) + "5");
      texts.add("9".repeat(digits - 1) + "x");
    }
    return texts;
  }

  private static @Nullable BigInteger unsigned(String text) {
    return text.matches("\\+?[0-9]+") ? new BigInteger(text) : null;
  }

  private static @Nullable Long within(@Nullable BigInteger number, int bits) {
    return number == null || number.bitLength() > bits ? null : number.longValue();
  }

  private static @Nullable BigInteger signed(String text) {
    boolean negative = text.startsWith("-");
    if (negative && text.startsWith("+", 1)) {
      return null;
    }
    BigInteger number = unsigned(negative ? text.substring(1) : text);
    return number == null || !negative ? number : number.negate();
  }

  private static long orNone(@Nullable Long number) {
    return number == null ? Numbers.NOT_A_NUMBER : number;
  }
}
