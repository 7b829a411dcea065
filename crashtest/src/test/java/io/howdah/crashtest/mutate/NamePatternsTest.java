package io.howdah.crashtest.mutate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NamePatternsTest {

  @Test
  void aStarStandsForAnyText() {
    NamePatterns patterns = NamePatterns.of(List.of("a.b.*"));
    assertThat(patterns.matches("a.b.C")).isTrue();
    assertThat(patterns.matches("a.b.c.D")).isTrue();
    assertThat(patterns.matches("a.bc.D")).isFalse();
    assertThat(NamePatterns.of(List.of("*")).matches("a.b.C")).isTrue();
  }

  @Test
  void aNameMatchesIfOneOfThePatternsDoes() {
    NamePatterns patterns = NamePatterns.of(List.of("a.B", "c.D"));
    assertThat(patterns.matches("a.B")).isTrue();
    assertThat(patterns.matches("c.D")).isTrue();
    assertThat(patterns.matches("a.D")).isFalse();
  }

  @Test
  void bracesKeepTheirCommasWhereverTheCommandLineHasCutThem() {
    String[] cut = "a.{b,c}.*,d.{E,F,G}".split(",");
    for (NamePatterns patterns :
        List.of(
            NamePatterns.of(List.of("a.{b,c}.*", "d.{E,F,G}")),
            NamePatterns.of(Arrays.asList(cut)))) {
      assertThat(patterns.matches("a.b.X")).isTrue();
      assertThat(patterns.matches("a.c.X")).isTrue();
      assertThat(patterns.matches("d.E")).isTrue();
      assertThat(patterns.matches("d.F")).isTrue();
      assertThat(patterns.matches("d.G")).isTrue();
      assertThat(patterns.matches("d.H")).isFalse();
      assertThat(patterns.matches("c.X")).isFalse();
    }
  }

  @Test
  void aBraceThatWasNotOpenedHidesNoOtherPattern() {
    NamePatterns patterns = NamePatterns.of(List.of("a}", "b", "{c", "d}"));
    for (String name : List.of("b", "c", "d")) {
      assertThat(patterns.matches(name)).as(name).isTrue();
    }
  }

  @Test
  void whatIsNoPatternIsNamed() {
    for (String bad : List.of("a.{b,c", "a.{b,{c,d}}", "a.[", "", "a/B")) {
      assertThatThrownBy(() -> NamePatterns.of(List.of("x.Y", bad)))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + bad + "'");
    }
  }
}
