package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PartialSlabsTest {

  private final PartialSlabs slabs = new PartialSlabs(long[]::new);

  @Test
  void eachSlabIsNotedOnceAndTakenOutLastInFirstOut() {
    for (int i = 0; i < 100_000; i++) {
      slabs.add(3, 7 + i % 2);
    }
    assertThat(slabs.poll(4)).isZero();
    assertThat(slabs.poll(3)).isEqualTo(8);
    slabs.add(3, 7);
    assertThat(slabs.poll(3)).isEqualTo(7);
    assertThat(slabs.poll(3)).isZero();
    slabs.add(3, 7);
    slabs.clear();
    assertThat(slabs.poll(3)).isZero();
    slabs.add(3, 7);
    assertThat(slabs.poll(3)).isEqualTo(7);
  }

  @Test
  void isAStackWithoutRepetitions() {
    SplittableRandom random = new SplittableRandom(1);
    Deque<Long> model = new ArrayDeque<>();
    for (int i = 0; i < 300_000; i++) {
      if (random.nextInt(5) < 3) {
        // Some that collide in any table of a power of two.
        long page = 1 + random.nextInt(300) * (random.nextBoolean() ? 1L : 1L << 30);
        slabs.add(0, page);
        if (!model.contains(page)) {
          model.push(page);
        }
      } else {
        assertThat(slabs.poll(0)).isEqualTo(model.isEmpty() ? 0 : (long) model.pop());
      }
    }
  }

  @Test
  void noMoreAreNotedThanThereIsRoomFor() {
    for (int i = 1; i <= 100_000; i++) {
      slabs.add(0, i);
    }
    int count = 0;
    while (slabs.poll(0) != 0) {
      count++;
    }
    assertThat(count).isEqualTo(1 << 16);
  }
}
