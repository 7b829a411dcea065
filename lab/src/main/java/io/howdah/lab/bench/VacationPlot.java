package io.howdah.lab.bench;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsFile;
import io.howdah.jmh.workload.Vacation.Contention;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Points;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Draws Hathi's Figure 4(b) with our figures, and the ratios that the paper's text gives. */
final class VacationPlot {

  private static final double TOP = 1.2;

  // Saxena et al., DaMoN 2012, section 5: of asynchronous commit, 13 % every 0.2 ms and 50 % every
  // 2 ms; 40 % below it with partition commit every 2 ms.
  private static final List<Point> PAPER_STABLE = List.of(new Point(0.2, 0.13), new Point(2, 0.5));
  private static final List<Point> PAPER_PARTITION = List.of(new Point(2, 0.6));

  private VacationPlot() {}

  /** Writes Figure 4(b) of one contention. */
  static void write(MetricsFile found, Contention contention, Path folder) throws IOException {
    PlotFiles.write(folder, "figure4b-" + contention.name(), of(found, contention));
  }

  /** Draws what {@code howdah bench vacation} has found with this contention. */
  static Chart of(MetricsFile found, Contention contention) {
    return new Chart(
        ("Vacation, %s contention: waits for durability at intervals\n"
                + "1.0 = sessions per second with asynchronous commit\n%s")
            .formatted(contention.name(), found.origin()),
        new Axis(
            "time between waits, ms",
            0.15,
            13,
            true,
            List.of(
                new Tick(0.2, "0.2"),
                new Tick(0.5, "0.5"),
                new Tick(1, "1"),
                new Tick(2, "2"),
                new Tick(5, "5"),
                new Tick(10, "10"))),
        new Axis(
            "sessions, ratio to asynchronous commit",
            0,
            TOP,
            false,
            List.of(
                new Tick(0, "0"),
                new Tick(0.2, "0.2"),
                new Tick(0.4, "0.4"),
                new Tick(0.6, "0.6"),
                new Tick(0.8, "0.8"),
                new Tick(1, "1.0"),
                new Tick(TOP, "1.2"))),
        List.of(
            series(
                found.find("vacation.splitPhase.overAsync", of(contention)),
                "stable (all commits before)",
                "#1f77b4",
                Dash.SOLID),
            series(
                found.find("vacation.partitionSplitPhase.overAsync", of(contention)),
                "partition commit",
                "#d62728",
                Dash.DASHED)),
        List.of(
            new Points("Hathi, stable", PAPER_STABLE, "#1f77b4"),
            new Points("Hathi, partition", PAPER_PARTITION, "#d62728")));
  }

  private static Map<String, Object> of(Contention contention) {
    return Map.of("contention", contention.name());
  }

  private static Series series(List<Metric> ratios, String name, String color, Dash dash) {
    List<Point> points = new ArrayList<>();
    for (Metric ratio : ratios) {
      double millis = ((Number) ratio.params().getOrDefault("intervalMillis", 0)).doubleValue();
      points.add(new Point(millis, Math.min(TOP, ratio.value())));
    }
    return new Series(name, points, color, dash, true);
  }
}
