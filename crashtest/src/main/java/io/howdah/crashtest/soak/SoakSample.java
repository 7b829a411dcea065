package io.howdah.crashtest.soak;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Figures at a moment.
 *
 * @param seconds that operations have run since the beginning
 * @param life number of the process, from 1
 * @param age seconds that operations have run in this process
 * @param values what could be read here
 */
public record SoakSample(double seconds, int life, double age, Map<SoakSeries, Double> values) {

  /** Copies the map. */
  public SoakSample {
    values = values.isEmpty() ? Map.of() : Map.copyOf(new EnumMap<>(values));
  }

  /** Returns a figure, if it could be read. */
  public OptionalDouble value(SoakSeries series) {
    Double value = values.get(series);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }
}
