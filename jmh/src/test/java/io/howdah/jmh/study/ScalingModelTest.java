package io.howdah.jmh.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.howdah.jmh.study.ScalingModel.Limit;
import org.junit.jupiter.api.Test;

final class ScalingModelTest {

  @Test
  void oneProcessorSharesNothing() {
    ScalingModel model = new ScalingModel(1000, 300, 0, 100);
    assertThat(model.predict(1, 4).perSecond()).isCloseTo(1e6, within(1.0));
  }

  @Test
  void twoProcessorsAreAsMeanValueAnalysisSaysByHand() {
    // Clock 100, one lane 300, so 700 of thinking. One thread: 700 + 100 + 300 = 1100, with 1/11 at
    // the clock and 3/11 at the lane. Two: 700 + 100 (1 + 1/11) + 300 (1 + 3/11).
    double both = 700 + 100 * (1 + 1 / 11.0) + 300 * (1 + 3 / 11.0);
    ScalingModel.Prediction found = new ScalingModel(1000, 300, 0, 100).predict(2, 1);
    assertThat(found.perSecond()).isCloseTo(2e9 / both, within(1.0));
  }

  @Test
  void manyProcessorsEndAtTheSlowestStation() {
    ScalingModel byClock = new ScalingModel(1000, 300, 0, 100);
    assertThat(byClock.predict(1000, 64).perSecond()).isCloseTo(1e7, within(1e5));
    assertThat(byClock.predict(1000, 64).limit()).isEqualTo(Limit.CLOCK);
    assertThat(byClock.predict(1000, 1).perSecond()).isCloseTo(1e9 / 300, within(1e4));
    assertThat(byClock.predict(1000, 1).limit()).isEqualTo(Limit.LANES);
    ScalingModel byFlusher = new ScalingModel(1000, 300, 200, 100);
    assertThat(byFlusher.predict(1000, 64).perSecond()).isCloseTo(5e6, within(1.0));
    assertThat(byFlusher.predict(1000, 64).limit()).isEqualTo(Limit.FLUSHER);
    assertThat(byFlusher.predict(2, 4).limit()).isEqualTo(Limit.PROCESSORS);
  }

  @Test
  void theKneeIsWhereTheLineOfManyMeetsTheLargestRate() {
    ScalingModel.Prediction found = new ScalingModel(900, 300, 0, 100).predict(64, 64);
    assertThat(found.kneeProcessors()).isCloseTo((900 + 100) / 100.0, within(1e-9));
    assertThat(new ScalingModel(900, 0, 0, 0).predict(64, 64).kneeProcessors())
        .isEqualTo(Double.POSITIVE_INFINITY);
  }

  @Test
  void moreProcessorsAreNeverSlowerAndNeverGainMoreThanTheirNumber() {
    ScalingModel model = new ScalingModel(700, 200, 30, 60);
    double one = model.predict(1, 8).perSecond();
    double former = 0;
    for (int processors = 1; processors <= 128; processors++) {
      double rate = model.predict(processors, 8).perSecond();
      assertThat(rate).isBetween(former - 1, processors * one + 1);
      former = rate;
    }
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> new ScalingModel(100, 200, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ScalingModel(Double.NaN, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ScalingModel(100, 0, 0, 0).predict(0, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
