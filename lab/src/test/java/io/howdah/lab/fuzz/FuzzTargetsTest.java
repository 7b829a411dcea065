package io.howdah.lab.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.crashtest.fuzz.FuzzTarget;
import io.howdah.crashtest.fuzz.Mutator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A few inputs of each target, changed at random; {@code howdah test fuzz} runs many. */
final class FuzzTargetsTest {

  private static final int INPUTS = Integer.getInteger("howdah.fuzzInputs", 60);

  static List<String> names() {
    return FuzzTargets.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void noInputBreaksAPromise(String name) throws Exception {
    FuzzTarget target = FuzzTargets.named(name);
    assertThat(target.name()).isEqualTo(name);
    for (byte[] seed : target.seeds()) {
      target.run(seed);
    }
    Mutator mutator = new Mutator(1);
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = mutator.next(target.seeds());
      try {
        target.run(input);
      } catch (Throwable e) {
        throw new AssertionError(name + ", input " + i + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> FuzzTargets.named("nothing")).hasMessageContaining("memcached");
  }
}
