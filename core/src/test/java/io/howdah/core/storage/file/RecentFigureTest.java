package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reading holds for its time and no longer, wherever the clock stands. */
final class RecentFigureTest {

  private final AtomicLong readings = new AtomicLong();
  private final RecentFigure figure = new RecentFigure(readings::incrementAndGet, 100);

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 12345, Long.MAX_VALUE - 50, Long.MIN_VALUE})
  void aReadingHoldsForItsTime(long begin) {
    assertThat(figure.get(begin)).isEqualTo(1);
    assertThat(figure.get(begin)).isEqualTo(1);
    assertThat(figure.get(begin + 100)).isEqualTo(1);
    assertThat(figure.get(begin + 101)).isEqualTo(2);
    assertThat(figure.get(begin + 201)).isEqualTo(2);
    assertThat(figure.get(begin + 202)).isEqualTo(3);
  }
}
