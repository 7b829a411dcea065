package io.howdah.crashtest.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TransfersTest {

  private static final int CITIES = 1000;

  private final Transfers transfers =
      new Transfers(42, CITIES, IntStream.range(0, Transfers.BUSY_CITIES).toArray());

  @Test
  void sameNumbersGiveTheSameTransferInEveryProcess() {
    Transfers same = new Transfers(42, CITIES, IntStream.range(0, 64).toArray());
    long draw = transfers.draw(1, 7, 123_456);
    assertThat(same.draw(1, 7, 123_456)).isEqualTo(draw);
    assertThat(same.from(draw)).isEqualTo(transfers.from(draw));
    assertThat(same.to(draw)).isEqualTo(transfers.to(draw));
    // Fixed once and for all: a store filled by one build is judged by another.
    assertThat(new long[] {transfers.from(draw), transfers.to(draw), transfers.people(draw)})
        .containsExactly(972, 164, 6);
  }

  @Test
  void seedModeThreadAndNumberAllMatter() {
    Set<Long> draws = new HashSet<>();
    for (int mode = 0; mode < 3; mode++) {
      for (int thread = 0; thread < 256; thread++) {
        for (long n = 1; n <= 20; n++) {
          draws.add(transfers.draw(mode, thread, n));
        }
      }
    }
    draws.add(new Transfers(43, CITIES, new int[] {0}).draw(0, 0, 1));
    assertThat(draws).hasSize(3 * 256 * 20 + 1);
  }

  @Test
  void transfersGoBetweenTwoCitiesAndReachThemAll() {
    boolean[] left = new boolean[CITIES];
    boolean[] reached = new boolean[CITIES];
    int busy = 0;
    int draws = 100_000;
    for (long n = 1; n <= draws; n++) {
      long draw = transfers.draw(0, 0, n);
      int from = transfers.from(draw);
      int to = transfers.to(draw);
      assertThat(from).isBetween(0, CITIES - 1).isNotEqualTo(to);
      assertThat(to).isBetween(0, CITIES - 1);
      assertThat(transfers.people(draw)).isBetween(1L, 8L);
      left[from] = true;
      reached[to] = true;
      busy += from < Transfers.BUSY_CITIES ? 1 : 0;
    }
    for (int city = 0; city < CITIES; city++) {
      assertThat(left[city] && reached[city]).as("city %d", city).isTrue();
    }
    // One in eight, and of the others their even share: 18 %.
    assertThat(busy).isBetween(draws * 16 / 100, draws * 20 / 100);
  }
}
