package io.howdah.lab.bench;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsFile;
import io.howdah.jmh.study.ScalingModel;
import io.howdah.jmh.study.ScalingStudy;
import io.howdah.plot.BarChart;
import io.howdah.plot.BarChart.Bars;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Points;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Draws what {@code howdah bench scaling} found. */
final class ScalingPlots {

  private static final List<String> COLORS = List.of("#444444", "#1f77b4", "#d62728", "#2ca02c");

  // Saxena et al., DaMoN 2012, section 5: asynchronous commit with partitioned logs at 8 threads is
  // 38 % below the peak without durability, which is at 4 threads. A single log has 1/2.3 of that.
  private static final Point PAPER_STM = new Point(4, 1);
  private static final Point PAPER_PARTITIONED = new Point(8, 0.62);
  private static final Point PAPER_SINGLE = new Point(8, 0.62 / 2.3);

  private ScalingPlots() {}

  /** Writes Hathi's Figure 4(a), and the figures that the text around it gives. */
  static void writeBesideThePaper(MetricsFile found, Path folder) throws IOException {
    PlotFiles.write(folder, "figure4a", rates(found));
    PlotFiles.write(folder, "figure4a-latency", PublishedScaling.latencies(found));
    if (PublishedScaling.hasProcessors(found)) {
      PlotFiles.write(folder, "figure4a-cpu", PublishedScaling.processors(found));
    }
  }

  /** Hathi's Figure 4(a): rates by threads, over the highest one without a log. */
  static Chart rates(MetricsFile found) {
    double peak =
        rates(found, ScalingStudy.Way.VOLATILE).stream()
            .mapToDouble(Metric::value)
            .max()
            .orElse(Double.NaN);
    double top = 1.2;
    List<Dash> dashes = List.of(Dash.SOLID, Dash.SOLID, Dash.DASHED);
    List<Series> series = new ArrayList<>();
    int last = 1;
    for (ScalingStudy.Way way : ScalingStudy.Way.values()) {
      List<Point> points = new ArrayList<>();
      for (Metric rate : rates(found, way)) {
        int threads = ((Number) rate.params().getOrDefault("threads", 1)).intValue();
        last = Math.max(last, threads);
        points.add(new Point(threads, Math.min(top, rate.value() / peak)));
      }
      int place = series.size();
      series.add(new Series(way.text(), points, COLORS.get(place), dashes.get(place), true));
    }
    return new Chart(
        "Six random words, by threads; 1.0 = %.2f million transactions a second\n%s"
            .formatted(peak / 1e6, found.origin()),
        new Axis("threads", 0.9, Math.max(18, last * 1.1), true, powersOfTwo(Math.max(16, last))),
        new Axis("rate over the highest one without a log", 0, top, false, tenths(top)),
        series,
        List.of(
            new Points("Hathi, STM (4 cores)", List.of(PAPER_STM), COLORS.get(0)),
            new Points("Hathi, partitioned", List.of(PAPER_PARTITIONED), COLORS.get(1)),
            new Points("Hathi, single log", List.of(PAPER_SINGLE), COLORS.get(2))));
  }

  private static List<Metric> rates(MetricsFile found, ScalingStudy.Way way) {
    return found.find("scaling.txnPerSec", Map.of("subject", way.text()));
  }

  private static List<Tick> powersOfTwo(int last) {
    List<Tick> ticks = new ArrayList<>();
    for (int each = 1; each <= last; each *= 2) {
      ticks.add(new Tick(each, Integer.toString(each)));
    }
    return ticks;
  }

  private static List<Tick> tenths(double top) {
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i <= Math.round(top * 5); i++) {
      ticks.add(new Tick(i / 5.0, i == 0 ? "0" : "%.1f".formatted(i / 5.0)));
    }
    return ticks;
  }

  /** What each shared line adds to a transaction. */
  static BarChart lines(ScalingStudy.Lines shared) {
    List<String> groups = new ArrayList<>();
    List<Double> heights = new ArrayList<>();
    for (ScalingStudy.LineCost cost : shared.costs()) {
      if (!cost.costNanos().isEmpty()) {
        groups.add(cost.line().text());
        heights.add(Math.max(0, BenchRun.median(cost.costNanos())));
      }
    }
    double highest = heights.stream().mapToDouble(Double::doubleValue).max().orElse(1);
    return new BarChart(
        ("Processor time that a shared cache line adds to a transaction of one word\n"
                + "%d threads; a line changes hands in %.0f ns")
            .formatted(shared.threads(), BenchRun.median(shared.handOverNanos())),
        "nanoseconds",
        roundTop(highest),
        groups,
        List.of(new Bars("costs", COLORS.get(1), heights)),
        "",
        List.of(),
        List.of());
  }

  /** The model's rates for more and more processors. */
  static Chart model(ScalingModel model, List<Double> others, int processors) {
    List<Series> series = new ArrayList<>();
    List<Double> handOvers = new ArrayList<>(List.of(model.handOverNanos()));
    handOvers.addAll(others);
    double highest = 0;
    for (int i = 0; i < handOvers.size(); i++) {
      ScalingModel each = model.withHandOverNanos(handOvers.get(i));
      List<Point> points = new ArrayList<>();
      for (int count = 1; count <= processors; count++) {
        double rate = each.predict(count, ScalingCommand.lanes(count)).perSecond() / 1e6;
        highest = Math.max(highest, rate);
        points.add(new Point(count, rate));
      }
      String name = "%s%.0f ns".formatted(i == 0 ? "measured here: " : "", handOvers.get(i));
      series.add(new Series(name, points, COLORS.get(i), i == 0 ? Dash.SOLID : Dash.DASHED, false));
    }
    double top = roundTop(highest);
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i <= 5; i++) {
      ticks.add(
          new Tick(
              top * i / 5,
              new BigDecimal(top * i / 5, new MathContext(4))
                  .stripTrailingZeros()
                  .toPlainString()));
    }
    return new Chart(
        "Model: asynchronous commits of six words, by what a hand-over of a line takes",
        new Axis("processors", 1, Math.max(2, processors), true, powersOfTwo(processors)),
        new Axis("million transactions a second", 0, top, false, ticks),
        series,
        List.of());
  }

  /** Returns a round number that is not lower. */
  static double roundTop(double highest) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(highest, 1e-9))));
    for (double step : new double[] {1, 1.5, 2, 2.5, 3, 4, 5, 6, 10}) {
      if (step * power >= highest) {
        return step * power;
      }
    }
    return 10 * power;
  }
}
