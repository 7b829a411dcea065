package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is forgotten of objects that never were. */
final class NewObjectsTest {

  private final NewObjects made = new NewObjects();
  private final List<Long> forgotten = new ArrayList<>();

  private void add(int from, int to) {
    for (long i = from; i < to; i++) {
      made.add(forgotten::add, i);
    }
  }

  @Test
  void aRollBackForgetsTheLaterOnesLastFirst() {
    add(0, 5);
    assertThat(made.count()).isEqualTo(5);
    made.rollBack(2);
    assertThat(forgotten).containsExactly(4L, 3L, 2L);
    assertThat(made.count()).isEqualTo(2);
    made.end(false);
    assertThat(forgotten).containsExactly(4L, 3L, 2L, 1L, 0L);
    assertThat(made.count()).isZero();
  }

  @Test
  void aCommitForgetsNone() {
    for (int count : new int[] {3, 5000, 0}) {
      add(0, count);
      made.end(true);
      made.trim();
      assertThat(made.count()).isZero();
    }
    made.end(false);
    assertThat(forgotten).isEmpty();
  }
}
