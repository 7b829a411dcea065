package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.store.open.SpareMemory;
import org.junit.jupiter.api.Test;

/** Memory is to spare while a tenth is left, of the process's limit and of the machine. */
final class SpareMemoryTest {

  private static boolean isSpare(long heldBytes, long availableBytes) {
    return new SpareMemory(() -> heldBytes, () -> availableBytes, 1000).getAsBoolean();
  }

  @Test
  void aTenthMustBeLeft() {
    assertThat(isSpare(0, 1000)).isTrue();
    assertThat(isSpare(900, 100)).isTrue();
    assertThat(isSpare(901, 1000)).isFalse();
    assertThat(isSpare(0, 99)).isFalse();
  }

  @Test
  void thisProcessAsksTheSystem() {
    SpareMemory.ofProcess().getAsBoolean();
  }
}
