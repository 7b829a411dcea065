package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The addresses that a commit locks beside those that it writes. */
final class GuardsTest {

  private final Guards guards = new Guards();

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      guards.add(100 + i);
    }
  }

  private void assertHas(int count) {
    assertThat(guards.count()).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      assertThat(guards.address(i)).isEqualTo(100 + i);
    }
  }

  @Test
  void allAreKeptInTheirOrder() {
    add(0, 10_000);
    assertHas(10_000);
    guards.trim();
    assertHas(0);
    add(0, 50);
    assertHas(50);
    guards.clear();
    assertHas(0);
  }

  @Test
  void aRollBackKeepsTheFirstOnes() {
    add(0, 17);
    guards.rollBack(16);
    assertHas(16);
    add(16, 40);
    assertHas(40);
    guards.rollBack(0);
    assertHas(0);
  }
}
