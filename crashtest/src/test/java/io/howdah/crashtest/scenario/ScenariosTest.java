package io.howdah.crashtest.scenario;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A short run of every scenario; {@code howdah test explore} runs them as long as one likes. */
@Tag("scaled")
class ScenariosTest {

  private static final double SECONDS =
      Double.parseDouble(System.getProperty("howdah.scenarioSeconds", "0.1"));

  static Iterable<Scenario> scenarios() {
    return Scenarios.all();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void noPromiseIsBroken(Scenario scenario) throws Exception {
    scenario.run(new Budget(1, SECONDS, Long.MAX_VALUE));
  }

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> Scenarios.named("nothing"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("engine-kill");
  }
}
