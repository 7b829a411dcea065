package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a transaction that has lost waits before it runs again. */
final class BackoffTest {

  private final HandClock clock = new HandClock();
  private final Backoff backoff = new Backoff(clock, 1);

  @Test
  void aLoserSpinsThenYieldsThenParks() {
    for (int aborts = 1; aborts <= 9; aborts++) {
      backoff.pause(aborts);
    }
    assertThat(clock.spins).as("after the first two aborts").isEqualTo(2 * Backoff.MAX_SPINS);
    assertThat(clock.yields).as("after the next four").isEqualTo(4);
    assertThat(clock.parks).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({
    "7, 10000",
    "8, 20000",
    "9, 40000",
    "13, 640000",
    "14, 1280000",
    "15, 1280000",
    "1000, 1280000"
  })
  void theLongestParkDoublesUpToABound(int aborts, long bound) {
    for (int i = 0; i < 500; i++) {
      backoff.pause(aborts);
    }
    List<Long> parks = clock.parks;
    assertThat(parks).hasSize(500).allSatisfy(park -> assertThat(park).isBetween(1L, bound));
    assertThat(Collections.max(parks)).isGreaterThan(bound / 10 * 9);
    assertThat(Collections.min(parks)).isLessThan(bound / 10);
  }

  @Test
  void twoLosersDoNotWaitEquallyLong() {
    Backoff other = new Backoff(clock, 2);
    for (int i = 0; i < 200; i++) {
      backoff.pause(20);
      other.pause(20);
    }
    assertThat(clock.parks.stream().distinct().count()).isGreaterThan(390);
  }
}
