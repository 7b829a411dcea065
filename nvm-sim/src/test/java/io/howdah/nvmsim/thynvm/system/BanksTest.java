package io.howdah.nvmsim.thynvm.system;

import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One channel carries what the core asks for and what the controller moves. */
final class BanksTest {
  private static final int BANKS = 16;
  private static final long ROW_BLOCKS = 128;
  private static final int MOVES = 1 << 10;
  private static final long BUS_PS = MemoryTiming.PAPER.busNs() * PS_PER_NS;
  private static final long MOVE_PS = MemoryTiming.PAPER.moveNs() * PS_PER_NS;

  private final Banks banks = new Banks(MemoryTiming.PAPER, 1L << 40);

  private void moveMany() {
    for (int i = 0; i < MOVES; i++) {
      banks.move(0, i % BANKS * ROW_BLOCKS);
    }
  }

  @Test
  void movesTakeTheChannelEvenIfTheyAreSpreadOverTheBanks() {
    moveMany();
    assertThat(banks.movesDone(0)).isEqualTo(MOVES * BUS_PS);
  }

  @Test
  void aBankThatTakesAllMovesIsSlowerThanTheChannel() {
    for (int i = 0; i < MOVES; i++) {
      banks.move(0, 0);
    }
    assertThat(banks.movesDone(0)).isEqualTo(MOVES * MOVE_PS);
  }

  @Test
  void blocksOfTheCorePassFirst() {
    moveMany();
    banks.write(0, 0);
    banks.read(0, ROW_BLOCKS);
    assertThat(banks.movesDone(0)).isEqualTo((MOVES + 2) * BUS_PS);
  }

  @Test
  void anIdleChannelOwesNothing() {
    moveMany();
    long later = 2 * banks.movesDone(0);
    banks.write(later, 0);
    assertThat(banks.movesDone(later)).isEqualTo(later);
    banks.move(later, 0);
    assertThat(banks.movesDone(later)).isGreaterThan(later);
  }
}
