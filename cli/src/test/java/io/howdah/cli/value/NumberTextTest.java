package io.howdah.cli.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A number that is stored is the one that was written, or it is refused. */
final class NumberTextTest {

  private static final String ARABIC_SEVEN = "\u0667";

  /** Every codec of numbers, as the command finds it by its name. */
  private static List<DescribedCodec> codecs() {
    return List.of(
            Codec.int64(),
            Codec.int32(),
            Codec.int16(),
            Codec.int8(),
            Codec.float64(),
            Codec.float32(),
            Codecs.bigInteger(),
            Codecs.decimal())
        .stream()
        .map(codec -> DescribedCodec.named(codec.name(), (_, _, _) -> Optional.empty()))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " 7",
        "7 ",
        "+8",
        ARABIC_SEVEN,
        "0x1p3",
        "1d",
        "1f",
        "7L",
        "1_000",
        "--1",
        "1e",
        ".",
        "\t7",
        "1,5",
        "seven"
      })
  void whatIsNoNumberIsNone(String text) {
    for (DescribedCodec codec : codecs()) {
      assertThatThrownBy(() -> codec.parse(text))
          .as(codec.name())
          .isInstanceOf(ValueException.class)
          .hasMessageStartingWith("\"" + text + "\" is no " + codec.name() + ": ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "127", "-128", "007"})
  void wholeNumbersAreOfAllTypes(String text) {
    for (DescribedCodec codec : codecs()) {
      assertThat(((Number) Objects.requireNonNull(codec.parse(text).tree())).longValue())
          .as(codec.name())
          .isEqualTo(Long.parseLong(text));
    }
  }

  @Test
  void aFloatingPointNumberOutOfItsRangeIsRefused() {
    for (String text : List.of("1e999", "-1e309", "1e-400", "-0.1e-324", "1e99999999999")) {
      assertThatThrownBy(() -> NumberText.float64(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("4.9E-324 to 1.7976931348623157E308");
    }
    for (String text : List.of("1e39", "-1e-50")) {
      assertThatThrownBy(() -> NumberText.float32(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1.4E-45 to 3.4028235E38");
    }
  }

  @Test
  void theEdgesOfTheRangesAreNumbers() {
    assertThat(NumberText.float64("1.7976931348623157e308")).isEqualTo(Double.MAX_VALUE);
    assertThat(NumberText.float64("4.9E-324")).isEqualTo(Double.MIN_VALUE);
    assertThat(NumberText.float64("-0.000e-999")).isEqualTo(-0.0);
    assertThat(NumberText.float64(".5")).isEqualTo(0.5);
    assertThat(NumberText.float64("5.")).isEqualTo(5);
    assertThat(NumberText.float64("-Infinity")).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(NumberText.float32("NaN")).isNaN();
    assertThat(NumberText.float32("3.4028235e+38")).isEqualTo(Float.MAX_VALUE);
    assertThat(NumberText.int64("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    assertThat(NumberText.int32("2147483647")).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aWholeNumberOutOfItsRangeIsRefused() {
    for (String text : List.of("2147483648", "-2147483649", "99999999999999999999")) {
      assertThatThrownBy(() -> NumberText.int32(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the range is -2147483648 to 2147483647");
    }
    assertThatThrownBy(() -> NumberText.int64("9223372036854775808"))
        .hasMessageContaining("-9223372036854775808");
  }
}
