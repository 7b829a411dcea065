package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Sets of blocks, beside sets of numbers. */
final class BlockSetTest {

  private static final long TOP = 300L * BlockSet.GRAIN;

  @Test
  void itHoldsWhatASetOfNumbersDoes() {
    SplittableRandom random = new SplittableRandom(1);
    BlockSet blocks = new BlockSet(TOP);
    TreeSet<Long> expected = new TreeSet<>();
    for (int i = 0; i < 3000; i++) {
      long address = random.nextInt(300) * (long) BlockSet.GRAIN;
      if (random.nextInt(1000) < i / 3) {
        blocks.remove(address);
        expected.remove(address);
      } else {
        blocks.add(address);
        expected.add(address);
      }
      assertThat(blocks.has(address)).isEqualTo(expected.contains(address));
      long from = random.nextInt(301) * (long) BlockSet.GRAIN;
      Long next = expected.ceiling(from);
      assertThat(blocks.next(from)).isEqualTo(next == null ? -1 : next);
    }
  }

  @Test
  void aSetThatEndsWithAWordHasNothingBehindIt() {
    long top = 128L * BlockSet.GRAIN;
    BlockSet blocks = new BlockSet(top);
    assertThat(blocks.next(0)).isEqualTo(-1);
    blocks.add(top - BlockSet.GRAIN);
    assertThat(blocks.next(0)).isEqualTo(top - BlockSet.GRAIN);
    assertThat(blocks.next(top)).isEqualTo(-1);
    assertThat(blocks.next(2 * top)).isEqualTo(-1);
  }
}
