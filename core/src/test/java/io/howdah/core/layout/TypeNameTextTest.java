package io.howdah.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TypeNameTextTest {

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      delimiter = '|',
      value = {
        "shop.Order|shop.Order",
        "line item|line item",
        "order of customer|order of customer",
        "a,b|a,b",
        "a, b|\"a, b\"",
        "bread and butter|\"bread and butter\"",
        "~a to b~|\"a to b\"",
        "say \"x\"|\"say \"\"x\"\"\"",
        "\"|\"\"\"\"",
        "a(|\"a(\"",
        "~ a~|\" a\"",
        "a to|\"a to\"",
        "and a|\"and a\"",
        "my reference|\"my reference\"",
        "references|references",
      })
  void namesWithSeparatorsStandInQuotes(String name, String described) {
    assertThat(TypeNameText.described(name)).isEqualTo(described);
    assertThat(TypeNameText.name(described)).isEqualTo(name);
  }

  /** Whatever follows, the end of a name is found. */
  @Test
  void aNameEndsWhereItWasWritten() {
    SplittableRandom random = new SplittableRandom(3);
    String[] pieces = {"a", "b", " ", "\"", " to ", " and ", ", ", "(", ")", "[", "]", "to", "é"};
    for (int round = 0; round < 10_000; round++) {
      StringBuilder name = new StringBuilder();
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        name.append(pieces[random.nextInt(pieces.length)]);
      }
      String described = TypeNameText.described(name.toString());
      for (String behind :
          new String[] {"", " to int64", " and int64", ", int64", ")", "]", "(x"}) {
        int end = TypeNameText.end("record " + described + behind, 7);
        assertThat(end).as("%s%s", described, behind).isEqualTo(7 + described.length());
      }
      assertThat(TypeNameText.name(described)).isEqualTo(name.toString());
    }
  }

  @Test
  void quotesThatDoNotEndAreNoReasonToGoOn() {
    assertThat(TypeNameText.end("\"abc", 0)).isEqualTo(4);
    assertThat(TypeNameText.end("\"abc\"\"", 0)).isEqualTo(6);
    assertThat(TypeNameText.end("", 0)).isZero();
    assertThat(TypeNameText.name("\"")).isEqualTo("\"");
  }
}
