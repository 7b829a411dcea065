package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What counts as kept while entries are to be removed. */
class TruncationsTest {

  @Test
  void aRemovalEndsWithTheFirstEntryBehindIt() {
    Truncations truncations = new Truncations(9);
    assertThat(truncations.kept()).isEqualTo(Long.MAX_VALUE);
    truncations.decided(8);
    assertThat(truncations.kept()).isEqualTo(7);
    truncations.written(10); // was queued before the removal
    assertThat(truncations.kept()).isEqualTo(7);
    truncations.written(8);
    assertThat(truncations.kept()).isEqualTo(Long.MAX_VALUE);
    truncations.written(9);
    truncations.decided(9);
    assertThat(truncations.kept()).isEqualTo(8);
    truncations.written(9);
    assertThat(truncations.kept()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void ofSeveralRemovalsTheLowestCountsUntilItIsMade() {
    Truncations truncations = new Truncations(20);
    truncations.decided(5);
    truncations.decided(8);
    assertThat(truncations.kept()).isEqualTo(4);
    truncations.written(5);
    assertThat(truncations.kept()).as("the first is made").isEqualTo(7);
    for (long index = 6; index <= 10; index++) {
      truncations.written(index);
    }
    assertThat(truncations.kept()).as("the second is still to come").isEqualTo(7);
    truncations.decided(3);
    assertThat(truncations.kept()).isEqualTo(2);
    truncations.written(8);
    assertThat(truncations.kept()).as("the third is still to come").isEqualTo(2);
    truncations.written(3);
    assertThat(truncations.kept()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aRemovalOfAnEmptyLogKeepsNothing() {
    Truncations truncations = new Truncations(-1);
    truncations.written(0);
    truncations.decided(0);
    assertThat(truncations.kept()).isEqualTo(-1);
    truncations.written(0);
    assertThat(truncations.kept()).isEqualTo(Long.MAX_VALUE);
  }
}
