package io.howdah.cli.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is suggested for a name that is not there. */
final class NearNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "stock | stock,years | ; is it \"stock\"?",
        "STOKC | years,stock | ; is it \"stock\"?",
        "sto   | years,stock | ; is it \"stock\"?",
        "pile  | years,stockpiles | ; is it \"stockpiles\"?",
        "stcks | stocks,stick,stacks | ; is it \"stocks\", \"stacks\", \"stick\"?",
        "abcd  | abxx,abxxx | ; is it \"abxx\"?",
        "abcdefghi | abcdefxxx,abcdexxxx | ; is it \"abcdefxxx\"?",
        "zzzz  | stock,years | , but \"stock\", \"years\"",
        "''    | stock,years | , but \"stock\", \"years\"",
      })
  void theNearestComeFirst(String wrong, String names, String suggestion) {
    assertThat(NearNames.suggest(wrong, List.of(names.split(",")))).isEqualTo(suggestion);
  }

  @Test
  void manyNamesAreNotAllShown() {
    assertThat(NearNames.suggest("x", List.of())).isEqualTo(": it has no structures");
    for (int count = 1; count < 40; count++) {
      List<String> names = IntStream.range(0, count).mapToObj("name %02d"::formatted).toList();
      String all = NearNames.suggest("zzzzzzzz", names);
      long shown = all.chars().filter(c -> c == '"').count() / 2;
      int more = count - (int) shown;
      assertThat(all.endsWith(" and " + more + " more")).isEqualTo(more > 0);
      assertThat(NearNames.suggest("NAME", names).chars().filter(c -> c == '"').count() / 2)
          .isEqualTo(shown);
    }
  }

  /** The distance is compared with its definition, which takes exponential time. */
  @Test
  void theDistanceIsThatOfLevenshtein() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_000; i++) {
      String a = word(random);
      String b = word(random);
      assertThat(NearNames.distance(a, b)).as("%s, %s", a, b).isEqualTo(defined(a, b));
    }
  }

  private static String word(SplittableRandom random) {
    return random
        .ints(random.nextInt(6), 'a', 'd')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static int defined(String a, String b) {
    if (a.isEmpty() || b.isEmpty()) {
      return a.length() + b.length();
    }
    int changed = defined(a.substring(1), b.substring(1)) + (a.charAt(0) == b.charAt(0) ? 0 : 1);
    return Math.min(changed, 1 + Math.min(defined(a.substring(1), b), defined(a, b.substring(1))));
  }
}
