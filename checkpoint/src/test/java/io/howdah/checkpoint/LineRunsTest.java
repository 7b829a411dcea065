package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is written of a page beside the lines that differ. */
class LineRunsTest {

  @Test
  void theShortestGapsGoFirst() {
    // Gaps of two lines, of one, of three.
    long lines = 0b1_000_1_0_1_00_1L;
    assertThat(LineRuns.joined(lines, 0)).isEqualTo(lines);
    assertThat(LineRuns.joined(lines, 1)).isEqualTo(0b1_000_1_1_1_00_1L);
    assertThat(LineRuns.joined(lines, 2)).isEqualTo(0b1_000_1_1_1_00_1L);
    assertThat(LineRuns.joined(lines, 3)).isEqualTo(0b1_000_1_1_1_11_1L);
    assertThat(LineRuns.joined(lines, 5)).isEqualTo(0b1_000_1_1_1_11_1L);
    assertThat(LineRuns.joined(lines, 6)).isEqualTo(0b1_111_1_1_1_11_1L);
  }

  @Test
  void nothingIsAddedBeforeTheFirstLineOrBehindTheLast() {
    assertThat(LineRuns.joined(1L << 63, 64)).isEqualTo(1L << 63);
    assertThat(LineRuns.joined(1, 64)).isEqualTo(1);
    assertThat(LineRuns.joined(-1L, 64)).isEqualTo(-1L);
    assertThat(LineRuns.joined(1L << 63 | 1, 64)).isEqualTo(1L << 63 | 1);
    assertThat(LineRuns.joined(1L << 63 | 1L << 61, 1)).isEqualTo(7L << 61);
  }

  @Test
  void noLineThatDiffersIsLostAndNoMoreAreAddedThanAllowed() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      long lines = 1 | (random.nextLong() & (random.nextBoolean() ? random.nextLong() : -1L));
      int most = random.nextInt(Long.SIZE + 1);
      long joined = LineRuns.joined(lines, most);
      assertThat(lines & ~joined).isZero();
      assertThat(Long.bitCount(joined) - Long.bitCount(lines)).isLessThanOrEqualTo(most);
      assertThat(runs(joined)).isLessThanOrEqualTo(runs(lines));
    }
  }

  @Test
  void aCheckpointThatIsAwaitedJoinsWhatIsHalfDirty() {
    long everyOther = 0x5555_5555_5555_5555L;
    assertThat(runs(Granularity.DUAL.lines(everyOther))).isEqualTo(30);
    assertThat(runs(Granularity.DUAL.awaited().lines(everyOther))).isEqualTo(1);
    assertThat(Granularity.DUAL.awaited().lines(0)).isZero();
    assertThat(Granularity.LINES.awaited().lines(everyOther)).isEqualTo(everyOther);
  }

  private static int runs(long lines) {
    return Long.bitCount(lines & ~(lines << 1));
  }
}
