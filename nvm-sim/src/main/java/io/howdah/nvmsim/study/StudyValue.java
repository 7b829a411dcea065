package io.howdah.nvmsim.study;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One value of a figure.
 *
 * @param name of the metric, for instance {@code thynvm.overIdealDram}
 * @param unit what one is
 * @param params what it was measured with; each value a number or a string
 * @param value ours
 * @param published the paper's, {@link Double#NaN} if it gives none
 */
public record StudyValue(
    String name, String unit, Map<String, Object> params, double value, double published) {
  public StudyValue {
    params = Collections.unmodifiableMap(new TreeMap<>(params));
  }

  public boolean isPublished() {
    return !Double.isNaN(published);
  }
}
