package io.howdah.crashtest.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** What counts as flat, on series that are known. */
final class FlatnessTest {

  private static final int SAMPLES = 400;
  private static final int LIFE = 50;

  /** Half of the samples in processes of 50, the other half in one. */
  private static List<SoakSample> samples(
      SoakSeries series, DoubleUnaryOperator ofTime, double ofAge) {
    SplittableRandom noise = new SplittableRandom(1);
    List<SoakSample> samples = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      int life = Math.min(i, SAMPLES / 2) / LIFE + 1;
      int age = i < SAMPLES / 2 ? i % LIFE : i - SAMPLES / 2;
      double value = ofTime.applyAsDouble(i) + ofAge * age + noise.nextDouble();
      samples.add(new SoakSample(i, life, age, Map.of(series, value)));
    }
    return samples;
  }

  private static List<String> notFlat(List<SoakSample> samples) {
    return Flatness.judge(samples).stream()
        .filter(verdict -> !verdict.isFlat())
        .map(Flatness.Verdict::where)
        .toList();
  }

  @Test
  void noiseIsFlat() {
    assertThat(Flatness.judge(samples(SoakSeries.DESCRIPTORS, _ -> 40, 0))).hasSize(2);
    assertThat(notFlat(samples(SoakSeries.DESCRIPTORS, _ -> 40, 0))).isEmpty();
  }

  @Test
  void aWarmUpDoesNotCount() {
    assertThat(notFlat(samples(SoakSeries.HEAP, i -> i < 40 ? i : 40, 0))).isEmpty();
  }

  @Test
  void whatGrowsOverTheProcessesIsSeen() {
    assertThat(notFlat(samples(SoakSeries.FILES, i -> 100 + 2 * i, 0))).contains("over the run");
  }

  @Test
  void whatGrowsInAProcessIsSeen() {
    assertThat(notFlat(samples(SoakSeries.DESCRIPTORS, _ -> 40, 0.1)))
        .contains("in the longest process");
  }

  @Test
  void fewSamplesSayNothing() {
    assertThat(Flatness.judge(samples(SoakSeries.HEAP, i -> i, 0).subList(0, 8))).isEmpty();
  }

  @Test
  void quantilesAreThoseOfTheTimes() {
    long[] counts = new long[LatencyBuckets.COUNT];
    for (long nanos = 1; nanos <= 100_000; nanos++) {
      counts[LatencyBuckets.of(nanos)]++;
    }
    assertThat(LatencyBuckets.quantile(counts, 0.5)).isBetween(50_000L, 53_500L);
    assertThat(LatencyBuckets.quantile(counts, 0.99)).isBetween(99_000L, 106_000L);
    for (long nanos = 1; nanos < 1L << 39; nanos = nanos * 3 / 2 + 1) {
      int bucket = LatencyBuckets.of(nanos);
      assertThat(LatencyBuckets.longest(bucket)).isGreaterThanOrEqualTo(nanos);
      assertThat(bucket == 0 ? -1 : LatencyBuckets.longest(bucket - 1)).isLessThan(nanos);
    }
    assertThat(LatencyBuckets.of(Long.MAX_VALUE)).isEqualTo(LatencyBuckets.COUNT - 1);
  }
}
