package io.howdah.cli.bench;

import io.howdah.jmh.study.VacationStudy;
import io.howdah.nvmsim.plot.Canvas.Dash;
import io.howdah.nvmsim.plot.Chart;
import io.howdah.nvmsim.plot.Chart.Axis;
import io.howdah.nvmsim.plot.Chart.Point;
import io.howdah.nvmsim.plot.Chart.Points;
import io.howdah.nvmsim.plot.Chart.Series;
import io.howdah.nvmsim.plot.Chart.Tick;
import io.howdah.txn.Durability;
import java.util.List;

/** Draws Hathi's Figure 4(b) with our figures, and the ratios that the paper's text gives. */
final class VacationPlot {

  private static final double TOP = 1.2;

  // Saxena et al., DaMoN 2012, section 5: of asynchronous commit, 13 % every 0.2 ms and 50 % every
  // 2 ms; 40 % below it with partition commit every 2 ms.
  private static final List<Point> PAPER_STABLE = List.of(new Point(0.2, 0.13), new Point(2, 0.5));
  private static final List<Point> PAPER_PARTITION = List.of(new Point(2, 0.6));

  private VacationPlot() {}

  static Chart of(VacationStudy.Result found) {
    return new Chart(
        "Vacation, %s contention: waits for durability at intervals"
            .formatted(found.contention().name()),
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
            "sessions per second over asynchronous commit",
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
            series(found, Durability.SYNC, "stable (all commits before)", "#1f77b4", Dash.SOLID),
            series(found, Durability.PARTITION, "partition commit", "#d62728", Dash.DASHED)),
        List.of(
            new Points("Hathi, stable", PAPER_STABLE, "#1f77b4"),
            new Points("Hathi, partition", PAPER_PARTITION, "#d62728")));
  }

  private static Series series(
      VacationStudy.Result found, Durability durability, String name, String color, Dash dash) {
    List<Point> points =
        found.splitPhases().stream()
            .filter(wait -> wait.durability() == durability)
            .map(
                wait ->
                    new Point(
                        wait.intervalMillis(), Math.min(TOP, BenchRun.median(wait.overAsync()))))
            .toList();
    return new Series(name, points, color, dash, true);
  }
}
