package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DebtTest {

  private final Debt debt = new Debt();

  @Test
  void aReplyIsOwedFromItsBeginToItsEnd() {
    assertThat(debt.isSince(Long.MAX_VALUE)).isFalse();
    debt.begin(7, 100);
    assertThat(debt.bytes()).isEqualTo(7);
    assertThat(debt.since()).isEqualTo(100);
    assertThat(debt.isSince(99)).isFalse();
    assertThat(debt.isSince(100)).isTrue();
    assertThat(debt.isSince(101)).isTrue();
    debt.end();
    assertThat(debt.bytes()).isZero();
    assertThat(debt.isSince(101)).isFalse();
  }

  /** As {@link System#nanoTime} may, whose differences alone mean something. */
  @Test
  void theTimeMayOverflow() {
    debt.begin(1, Long.MAX_VALUE);
    assertThat(debt.isSince(Long.MIN_VALUE)).isTrue();
    debt.begin(1, Long.MIN_VALUE);
    assertThat(debt.isSince(Long.MAX_VALUE)).isFalse();
  }
}
