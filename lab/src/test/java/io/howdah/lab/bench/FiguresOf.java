package io.howdah.lab.bench;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.lab.json.MetricsReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/** What a command has written with {@code --json}. */
final class FiguresOf {

  private FiguresOf() {}

  /** Returns the smallest value that each metric has, whatever its params. */
  static Map<String, Double> smallest(Path file) throws IOException {
    return merged(file, Math::min);
  }

  /** Returns the largest value that each metric has, whatever its params. */
  static Map<String, Double> largest(Path file) throws IOException {
    return merged(file, Math::max);
  }

  private static Map<String, Double> merged(Path file, BinaryOperator<Double> choice)
      throws IOException {
    MetricsRun run = MetricsRun.start("test");
    MetricsReader.addTo(run, file);
    Map<String, Double> values = new TreeMap<>();
    Collection<Metric> metrics = run.finish().metrics();
    metrics.forEach(metric -> values.merge(metric.name(), metric.value(), choice));
    return values;
  }
}
