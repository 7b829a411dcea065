package io.howdah.nvmsim.study;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One value that a study computed.
 *
 * @param name of the metric, for instance {@code thynvm.overIdealDram}
 * @param unit what one is
 * @param params what it was measured with; each value a number, a boolean or a string
 * @param samples at least one, in the order of their seeds
 * @param published the paper's value, {@link Double#NaN} if it gives none
 */
public record StudyValue(
    String name, String unit, Map<String, Object> params, List<Double> samples, double published) {
  public StudyValue {
    params = Collections.unmodifiableMap(new TreeMap<>(params));
    samples = List.copyOf(samples);
    if (samples.isEmpty()) {
      throw new IllegalArgumentException(name + " needs at least one sample");
    }
  }

  /** A value that was computed once, and that the paper does not have. */
  public static StudyValue single(
      String name, String unit, double value, Map<String, Object> params) {
    return new StudyValue(name, unit, params, List.of(value), Double.NaN);
  }

  /** A value with a sample per seed or repetition, and that the paper does not have. */
  public static StudyValue median(
      String name, String unit, double[] samples, Map<String, Object> params) {
    return new StudyValue(name, unit, params, Arrays.stream(samples).boxed().toList(), Double.NaN);
  }

  /** The median of the samples; of an even number, the mean of the middle two. */
  public double value() {
    return medianOf(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Whether the paper has this value. */
  public boolean isPublished() {
    return !Double.isNaN(published);
  }

  /** The median of at least one sample; of an even number, the mean of the middle two. */
  public static double medianOf(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
