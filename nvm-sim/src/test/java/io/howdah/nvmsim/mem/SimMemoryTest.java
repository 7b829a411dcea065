package io.howdah.nvmsim.mem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SimMemoryTest {
  @Test
  void overlappingSpacesAreRefused() {
    assertThatThrownBy(() -> new SpaceLayout(4096, 8192, 8192, 4096))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("spaces overlap");
    assertThatThrownBy(() -> new SpaceLayout(100, 4096, 8192, 4096))
        .hasMessageContaining("multiples of 4096");
  }

  @Test
  void wordsAndBytesAgree() {
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      long persistent = memory.allocatePersistent(64, 64);
      long scratch = memory.allocateVolatile(64, 64);
      assertThat(memory.isPersistent(persistent)).isTrue();
      assertThat(memory.isPersistent(scratch)).isFalse();
      memory.setLong(persistent, 0x0102030405060708L);
      assertThat(memory.get(persistent + 1, 2)).isEqualTo(0x0607);
      memory.set(persistent + 6, 4, 0xAABBCCDDL);
      assertThat(memory.getLong(persistent)).isEqualTo(0xCCDD030405060708L);
      assertThat(memory.getLong(persistent + 8)).isEqualTo(0xAABB);
      assertThatThrownBy(() -> memory.getLong(8)).hasMessageContaining("in neither space");
    }
  }

  @Test
  void freedMemoryIsUsedAgainAndNothingElse() {
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      long first = memory.allocatePersistent(2048, 8);
      long second = memory.allocatePersistent(2048, 8);
      assertThatThrownBy(() -> memory.allocatePersistent(8, 8))
          .hasMessageContaining("no room for 8 bytes");
      memory.freePersistent(first);
      memory.freePersistent(second);
      assertThat(memory.allocatePersistent(4096, 8)).isEqualTo(first);
      assertThatThrownBy(() -> memory.freePersistent(second))
          .hasMessageContaining("is not allocated");
    }
  }
}
