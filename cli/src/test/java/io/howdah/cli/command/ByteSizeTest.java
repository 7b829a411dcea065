package io.howdah.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of bytes as options take them: up to 2^62, and never another number than was written. */
final class ByteSizeTest {

  private static final String LETTERS = "bkmgt";

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0",
    "64, 1048576, 67108864",
    "64b, 1048576, 64",
    "' 512K ', 1, 524288",
    "1g, 1, 1073741824",
    "2T, 1, 2199023255552",
    "007k, 1, 7168",
    "4194304t, 1, 4611686018427387904",
    "999999999999999999, 1, 999999999999999999"
  })
  void aSizeIsANumberAndPerhapsALetter(String text, long unit, long bytes) {
    assertThat(ByteSize.parse(text, unit)).hasValue(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "k", "-1", "+1", "1.5g", "1kb", "1 k", "0x10", "\u0661", "1p"})
  void whatIsNoSizeIsRefused(String text) {
    assertThat(ByteSize.parse(text, 1)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4194305t",
        "4611686018427387905",
        "9223372036854775807",
        "9223372036854775808",
        "9999999999999999999",
        "18446744073709551617",
        "18446744073709551616k",
        "99999999999999999999999999"
      })
  void aSizeBeyondTheLargestIsRefused(String text) {
    assertThat(ByteSize.parse(text, 1)).isEmpty();
  }

  /** A size of 19 digits may be refused although it would fit; it is never another number. */
  @Test
  void anySizeIsTheWrittenNumberOrNone() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      BigInteger number = new BigInteger(random.nextInt(1, 80), new java.util.Random(i));
      int letter = random.nextInt(LETTERS.length());
      BigInteger bytes = number.shiftLeft(10 * letter);
      String text = number.toString() + LETTERS.charAt(letter);
      ByteSize.parse(text, 1)
          .ifPresent(parsed -> assertThat(BigInteger.valueOf(parsed)).as(text).isEqualTo(bytes));
      if (number.bitLength() < 59 && bytes.bitLength() < 63) {
        assertThat(ByteSize.parse(text, 1)).as(text).isPresent();
      }
    }
  }
}
