package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Numbers in bytes that are as long as they should be, at the ends of their ranges: the last one is
 * read and has these bytes, the next one stands for no value and is refused by the one type of
 * error.
 */
final class NoSuchValueTest {

  private static final Map<String, Codec<?>> CODECS =
      Map.of(
          "instant", Codecs.instant(),
          "duration", Codecs.duration(),
          "date", Codecs.localDate(),
          "time", Codecs.localTime(),
          "date-time", Codecs.localDateTime(),
          "offset", Codecs.offsetDateTime(),
          "zoned", Codecs.zonedDateTime(),
          "decimal", Codecs.decimal(),
          "integer", Codecs.bigInteger());

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  private static <T> void requireValue(Codec<T> codec, byte[] bytes) {
    T value = Objects.requireNonNull(CodecBytes.decode(codec, bytes));
    assertThat(CodecBytes.encode(codec, value)).as("%s", value).isEqualTo(bytes);
  }

  /**
   * The two rows of a range.
   *
   * @param last the bytes of the last value in the range
   * @param next bytes behind it
   */
  @ParameterizedTest
  @CsvSource({
    // Nanoseconds of a second.
    "instant, 8000000000000000 3b9ac9ff, 8000000000000000 3b9aca00",
    "instant, 8000000000000000 00000000, 8000000000000000 ffffffff",
    "duration, 8000000000000000 3b9ac9ff, 8000000000000000 3b9aca00",
    "duration, ffffffffffffffff 3b9ac9ff, ffffffffffffffff 3b9aca00",
    "offset, 8000000000000000 3b9ac9ff 80000000, 8000000000000000 3b9aca00 80000000",
    "zoned, 8000000000000000 3b9ac9ff 80000000 555443, 8000000000000000 3b9aca00 80000000 555443",
    // Seconds of all time.
    "instant, 80701cd2fa9578ff 00000000, 80701cd2fa957900 00000000",
    // Seconds of an offset: 18 hours.
    "offset, 8000000000000000 00000000 8000fd20, 8000000000000000 00000000 8000fd21",
    "offset, 8000000000000000 00000000 7fff02e0, 8000000000000000 00000000 7fff02df",
    // Nanoseconds of a day.
    "time, 00004e94914effff, 00004e94914f0000",
    "time, 0000000000000000, ffffffffffffffff",
    "date-time, 800007e8 021d 00004e94914effff, 800007e8 021d 00004e94914f0000",
    // Months, days of a month, of February in a leap year and in another one.
    "date, 800007e8 0c1f, 800007e8 0d1f",
    "date, 800007e8 0101, 800007e8 0001",
    "date, 800007e8 0c1f, 800007e8 0c20",
    "date, 800007e8 0101, 800007e8 0100",
    "date, 800007e8 021d, 800007e8 021e",
    "date, 800007e7 021c, 800007e7 021d",
    // Digits of a decimal: at least one, two at most in a byte, and no more than it says.
    "decimal, c0 7efe 0b 00 8102, c0 7efd 01 00 8102",
    "decimal, c0 7efe 0b 00 8102, c0 7efd 0b 00 8102",
    "decimal, c0 8102 64 00 80, c0 8102 66 00 80",
    "decimal, c0 8101 0b 00 80, c0 8101 0c 00 80",
    "decimal, 40 8101 f4 ff 8102, 40 8102 fe ff 8102",
    // The sign of a decimal.
    "decimal, c0 8102 64 00 80, c1 8102 64 00 80",
    // An integer has no zeros before it, and the long form only if it needs it.
    "integer, 8101, 820001",
    "integer, 80, 8100",
    "integer, 7efe, 7dfffe",
    "integer, 8101, ff0000000101",
    "integer, 7efe, 00fffffffefe",
    // Zero is not negative.
    "integer, 80, 7f"
  })
  void theNextNumberBehindARangeIsRefused(String codec, String last, String next) {
    Codec<?> of = Objects.requireNonNull(CODECS.get(codec));
    requireValue(of, bytes(last));
    assertThatThrownBy(() -> CodecBytes.decode(of, bytes(next))).isInstanceOf(CodecException.class);
  }
}
