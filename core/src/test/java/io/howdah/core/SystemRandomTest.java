package io.howdah.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random bits with and without the device of the kernel. */
class SystemRandomTest {

  private static final int DRAWS = 1000;

  @Test
  void numbersDiffer() {
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < DRAWS; i++) {
      drawn.add(SystemRandom.nextLong());
    }
    assertThat(drawn).hasSize(DRAWS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dev/urandom", "/dev/null", "/no/such/device"})
  void everyBitIsSetAboutHalfOfTheTime(String device) {
    int[] set = new int[Long.SIZE];
    for (int i = 0; i < DRAWS; i++) {
      long bits = SystemRandom.nextLong(device);
      for (int bit = 0; bit < Long.SIZE; bit++) {
        set[bit] += (int) (bits >>> bit & 1);
      }
    }
    // Eight standard deviations from the mean.
    for (int count : set) {
      assertThat(count).isBetween(374, 626);
    }
  }
}
