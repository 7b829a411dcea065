package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LatencyTest {

  @Test
  void aQuantileIsTheTimeThatThisShareDoesNotExceed() {
    Histogram times = Latency.histogram();
    for (long nanos : new long[] {400, 100, 300, 200}) {
      times.recordValue(nanos);
    }
    assertThat(Latency.quantile(times, 0.5)).isEqualTo(200);
    assertThat(Latency.quantile(times, 0.51)).isEqualTo(300);
    assertThat(Latency.quantile(times, 0.999)).isEqualTo(400);
    assertThat(Latency.quantile(times, 1)).isEqualTo(400);
  }

  @Test
  void aLongTimeIsCountedToThreeDigits() {
    Histogram times = Latency.histogram();
    times.recordValue(5_000_000_000L);
    assertThat(Latency.quantile(times, 1)).isBetween(5_000_000_000L, 5_005_000_000L);
  }

  @Test
  void thereIsNoQuantileOfNothingAndNoneOfZero() {
    assertThatThrownBy(() -> Latency.quantile(Latency.histogram(), 1))
        .isInstanceOf(IllegalArgumentException.class);
    Histogram times = Latency.histogram();
    times.recordValue(1);
    assertThatThrownBy(() -> Latency.quantile(times, 0)).hasMessageContaining("0.0 of 1");
  }
}
