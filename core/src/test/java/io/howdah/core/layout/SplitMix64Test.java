package io.howdah.core.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SplitMix64Test {

  @Test
  void mixReturnsWhatTheJdksGeneratorReturns() {
    long seed = 42;
    // The first SplittableRandom of a seed has the golden gamma.
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 100; step++) {
      assertThat(SplitMix64.mix(seed + step * SplitMix64.GOLDEN_GAMMA))
          .isEqualTo(random.nextLong());
    }
  }
}
