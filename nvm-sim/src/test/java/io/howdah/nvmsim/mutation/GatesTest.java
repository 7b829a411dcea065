package io.howdah.nvmsim.mutation;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

/** The judge of the planted bugs of the simulator's analysis and programs. */
class GatesTest {
  @Test
  void theSimulatorAsItIsPasses() {
    assertThatCode(() -> new Gates().run()).doesNotThrowAnyException();
  }
}
