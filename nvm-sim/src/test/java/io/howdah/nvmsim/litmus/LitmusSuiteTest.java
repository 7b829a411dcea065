package io.howdah.nvmsim.litmus;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.px86.Quirk;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class LitmusSuiteTest {
  static Stream<LitmusTest> tests() {
    return LitmusSuite.load().stream();
  }

  @ParameterizedTest
  @MethodSource("tests")
  void outcomesAreThePublishedOnes(LitmusTest test) {
    for (LitmusRunner.Result result : new LitmusRunner().run(test)) {
      assertThat(result.mismatches()).as("%s under %s", test.name(), result.model()).isEmpty();
    }
  }

  @Test
  void suiteHoldsTheTestsItShould() {
    List<LitmusTest> tests = LitmusSuite.load();
    assertThat(tests).hasSizeGreaterThanOrEqualTo(30);
    assertThat(tests).extracting(LitmusTest::name).doesNotHaveDuplicates();
    // Numbers of states as the model checker of Cho et al. prints them.
    Map<String, Integer> published =
        Map.of(
            "commit_weak", 4,
            "commit_weak_opt", 4,
            "commit1", 3,
            "commit2", 3,
            "commit2_opt", 4,
            "commit_opt", 5,
            "fob", 6,
            "flush_mca", 15,
            "atomic_persists", 10);
    published.forEach(
        (name, states) -> {
          LitmusTest test =
              tests.stream().filter(t -> t.name().equals(name)).findFirst().orElseThrow();
          assertThat(new LitmusRunner().run(test).getFirst().durable()).as(name).isEqualTo(states);
        });
  }

  /** A machine that is wrong in one way must fail a test, or the tests prove little. */
  @ParameterizedTest
  @EnumSource(Quirk.class)
  void everyWrongMachineIsCaught(Quirk quirk) {
    LitmusRunner wrong = new LitmusRunner(EnumSet.of(quirk));
    assertThat(LitmusSuite.load())
        .anyMatch(test -> wrong.run(test).stream().anyMatch(r -> !r.mismatches().isEmpty()));
  }
}
