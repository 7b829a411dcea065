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

  /** The lines that a cache of 2 MB evicts lie that far behind those that it fetches. */
  @Test
  void hashedBanksSpreadRowsAtDistancesOfPowersOfTwo() {
    Banks hashed = new Banks(MemoryTiming.PAPER.withHashedBanks(), 1L << 40);
    for (long distance = BANKS * ROW_BLOCKS; distance <= 1L << 39; distance *= 2) {
      assertThat(secondRead(banks, distance)).as("%d blocks", distance).isGreaterThan(0);
      assertThat(secondRead(hashed, distance)).as("%d blocks, hashed", distance).isZero();
    }
  }

  /** What a read takes longer because another row of its bank was read since the first time. */
  private static long secondRead(Banks banks, long distance) {
    long now = 1_000_000_000_000L;
    banks.read(now, 0);
    long hit = banks.read(2 * now, 1) - 2 * now;
    banks.read(3 * now, distance);
    return banks.read(4 * now, 2) - 4 * now - hit;
  }
}
