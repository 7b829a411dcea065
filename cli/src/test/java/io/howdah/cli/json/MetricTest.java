package io.howdah.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricTest {

  @Test
  void medianOfAnOddNumberIsTheMiddleSample() {
    Metric metric = Metric.median("a.b", "ratio", new double[] {9, 1, 4}, Map.of());
    assertThat(metric).isEqualTo(new Metric("a.b", 4, "ratio", 1, 9, 3, Map.of()));
  }

  @Test
  void medianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
    assertThat(Metric.median("a.b", "ratio", new double[] {8, 1, 4, 2}, Map.of()).value())
        .isEqualTo(3);
  }

  @Test
  void medianLeavesTheSamplesAsTheyWere() {
    double[] samples = {3, 1, 2};
    Metric.median("a.b", "ratio", samples, Map.of());
    assertThat(samples).containsExactly(3, 1, 2);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void whatJsonCannotHoldIsRefused(double value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.single("a.b", "ratio", value, Map.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.single("a.b", "ratio", 1, Map.of("threads", value)));
  }

  @Test
  void valueOutsideItsRangeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Metric("a.b", 5, "ratio", 1, 4, 2, Map.of()));
  }

  @Test
  void noSampleIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.median("a.b", "ratio", new double[0], Map.of()));
  }

  @Test
  void paramOfAnotherTypeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.single("a.b", "ratio", 1, Map.of("threads", List.of(1, 2))))
        .withMessageContaining("threads");
  }
}
