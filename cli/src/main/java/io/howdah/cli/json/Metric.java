package io.howdah.cli.json;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure.
 *
 * @param name as in the table of names, for instance {@code w6.async.overVolatile}
 * @param value the median of the samples; finite
 * @param unit what one is, for instance {@code ratio} or {@code txn/s}
 * @param min the smallest sample
 * @param max the largest sample
 * @param samples how many samples there were, at least 1
 * @param params what the figure was measured with; each value a number, a boolean or a string
 */
public record Metric(
    String name,
    double value,
    String unit,
    double min,
    double max,
    int samples,
    Map<String, Object> params) {

  /** Checks that the figure can stand in JSON and agrees with itself. */
  public Metric {
    if (name.isBlank() || unit.isBlank()) {
      throw new IllegalArgumentException("a metric needs name and unit: " + name + ", " + unit);
    }
    // The negation refuses NaN too.
    if (!(min <= value && value <= max) || Double.isInfinite(min) || Double.isInfinite(max)) {
      throw new IllegalArgumentException(
          name + ": min <= value <= max, all finite: " + min + ", " + value + ", " + max);
    }
    if (samples < 1) {
      throw new IllegalArgumentException(name + ": at least one sample: " + samples);
    }
    params = copyOf(params);
  }

  /** Returns the figure that a single observation gives. */
  public static Metric single(String name, String unit, double value, Map<String, Object> params) {
    return new Metric(name, value, unit, value, value, 1, params);
  }

  /**
   * Returns the median of {@code samples} with their range; of an even number, the mean of the
   * middle two.
   */
  public static Metric median(
      String name, String unit, double[] samples, Map<String, Object> params) {
    if (samples.length == 0) {
      throw new IllegalArgumentException(name + ": at least one sample");
    }
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Metric(
        name, median, unit, sorted[0], sorted[sorted.length - 1], sorted.length, params);
  }

  /** Returns whether the params have at least the given ones. */
  boolean has(Map<String, Object> wanted) {
    return wanted.entrySet().stream()
        .allMatch(each -> isSame(params.get(each.getKey()), each.getValue()));
  }

  private static boolean isSame(@Nullable Object found, Object wanted) {
    return (found instanceof Number one && wanted instanceof Number other)
        ? one.doubleValue() == other.doubleValue()
        : wanted.equals(found);
  }

  /** Sorted, so that two runs of one command write their params in one order. */
  static Map<String, Object> copyOf(Map<String, Object> params) {
    params.forEach(
        (key, value) -> {
          boolean allowed =
              switch (value) {
                case Double number -> Double.isFinite(number);
                case Float number -> Float.isFinite(number);
                case Number _, Boolean _, String _ -> true;
                default -> false;
              };
          if (!allowed) {
            throw new IllegalArgumentException(
                "param " + key + " is no finite number, boolean or string: " + value);
          }
        });
    return Collections.unmodifiableMap(new TreeMap<>(params));
  }
}
