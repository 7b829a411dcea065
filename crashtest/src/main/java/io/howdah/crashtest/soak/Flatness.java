package io.howdah.crashtest.soak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Whether figures stay flat. Of the samples after a warm-up, the median of the first third is
 * compared with that of the last third, by the limit of each {@link SoakSeries}: over the whole
 * run, where the warm-up is the first quarter of each process and the first eighth of the run, and
 * within the longest process, where the warm-up is its first quarter.
 */
public final class Flatness {

  /** Fewer samples say nothing about a third. */
  static final int MIN_SAMPLES = 9;

  private static final double WARM_UP_OF_LIFE = 0.25;
  private static final double WARM_UP_OF_RUN = 0.125;

  private Flatness() {}

  /**
   * The verdict on a figure.
   *
   * @param where over the run, or in the longest process
   * @param first median of the first third
   * @param last median of the last third
   * @param limit what the latter may be
   */
  public record Verdict(SoakSeries series, String where, double first, double last, double limit) {

    /** Returns whether it is flat. */
    public boolean isFlat() {
      return last <= limit;
    }
  }

  /** Judges all figures of which there are enough samples. */
  public static List<Verdict> judge(List<SoakSample> samples) {
    List<Verdict> verdicts = new ArrayList<>();
    if (samples.isEmpty()) {
      return verdicts;
    }
    double end = samples.getLast().seconds();
    int lives = samples.getLast().life();
    double[] ages = new double[lives + 1];
    for (SoakSample sample : samples) {
      ages[sample.life()] = Math.max(ages[sample.life()], sample.age());
    }
    int longest = 1;
    for (int life = 2; life <= lives; life++) {
      longest = ages[life] > ages[longest] ? life : longest;
    }
    int chosen = longest;
    Predicate<SoakSample> warm = sample -> sample.age() > WARM_UP_OF_LIFE * ages[sample.life()];
    for (SoakSeries series : SoakSeries.values()) {
      judge(
          series,
          "over the run",
          samples.stream()
              .filter(warm.and(sample -> sample.seconds() > WARM_UP_OF_RUN * end))
              .toList(),
          verdicts);
      judge(
          series,
          "in the longest process",
          samples.stream().filter(warm.and(sample -> sample.life() == chosen)).toList(),
          verdicts);
    }
    return verdicts;
  }

  private static void judge(
      SoakSeries series, String where, List<SoakSample> samples, List<Verdict> verdicts) {
    double[] values =
        samples.stream().flatMapToDouble(sample -> sample.value(series).stream()).toArray();
    if (values.length < MIN_SAMPLES) {
      return;
    }
    int third = values.length / 3;
    double first = median(Arrays.copyOfRange(values, 0, third));
    double last = median(Arrays.copyOfRange(values, values.length - third, values.length));
    verdicts.add(new Verdict(series, where, first, last, series.limit(first)));
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
