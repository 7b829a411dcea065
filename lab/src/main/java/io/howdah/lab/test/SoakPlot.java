package io.howdah.lab.test;

import io.howdah.crashtest.soak.SoakReport;
import io.howdah.crashtest.soak.SoakSample;
import io.howdah.crashtest.soak.SoakSeries;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws the figures of a soak over time. */
final class SoakPlot {

  private static final List<String> COLORS =
      List.of("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b");

  private static final int TICKS = 5;
  private static final double MIN_MICROS = 1;
  private static final double MINUTE = 60;

  private SoakPlot() {}

  /** Writes the drawings, as SVG and as PNG, into a folder. */
  static void write(Path folder, SoakReport report) throws IOException {
    if (report.samples().isEmpty()) {
      return;
    }
    Files.createDirectories(folder);
    PlotFiles.write(
        folder,
        "soak-memory",
        chart(
            report,
            "Memory and files under load",
            "MB",
            SoakSeries.HEAP,
            SoakSeries.RESIDENT,
            SoakSeries.ANONYMOUS,
            SoakSeries.STORE,
            SoakSeries.LOG,
            SoakSeries.FILES));
    PlotFiles.write(
        folder,
        "soak-counts",
        chart(
            report,
            "Descriptors and threads under load",
            "count",
            SoakSeries.DESCRIPTORS,
            SoakSeries.THREADS));
    PlotFiles.write(folder, "soak-latency", latency(report));
  }

  private static Chart chart(SoakReport report, String title, String unit, SoakSeries... shown) {
    return new Chart(
        title,
        time(report),
        linear(unit, highest(report, shown)),
        lines(report, Double.NEGATIVE_INFINITY, shown),
        List.of());
  }

  private static Chart latency(SoakReport report) {
    SoakSeries[] shown = {SoakSeries.P50, SoakSeries.P99, SoakSeries.P999};
    double top = 10;
    List<Tick> ticks = new ArrayList<>();
    ticks.add(new Tick(MIN_MICROS, "1"));
    ticks.add(new Tick(top, "10"));
    while (top < highest(report, shown)) {
      top *= 10;
      ticks.add(new Tick(top, "%,.0f".formatted(top)));
    }
    return new Chart(
        "Latency of operations under load",
        time(report),
        new Axis("µs", MIN_MICROS, top, true, ticks),
        lines(report, MIN_MICROS, shown),
        List.of());
  }

  private static double highest(SoakReport report, SoakSeries... shown) {
    double highest = 1;
    for (SoakSample sample : report.samples()) {
      for (SoakSeries series : shown) {
        highest = Math.max(highest, sample.value(series).orElse(0));
      }
    }
    return highest;
  }

  private static boolean isShort(SoakReport report) {
    return report.seconds() < 5 * MINUTE;
  }

  private static Axis time(SoakReport report) {
    boolean seconds = isShort(report);
    Axis axis =
        linear(
            seconds ? "seconds" : "minutes",
            seconds ? report.seconds() : report.seconds() / MINUTE);
    return new Axis(axis.label(), 0, axis.to(), false, axis.ticks());
  }

  /** An axis from 0 with round numbers. */
  private static Axis linear(String label, double highest) {
    double step = Math.pow(10, Math.floor(Math.log10(highest / TICKS)));
    for (double factor : new double[] {2, 2.5, 2}) {
      if (step * TICKS < highest) {
        step *= factor;
      }
    }
    List<Tick> ticks = new ArrayList<>();
    int last = (int) Math.ceil(highest / step);
    for (int i = 0; i <= last; i++) {
      ticks.add(new Tick(i * step, number(i * step)));
    }
    return new Axis(label, 0, last * step, false, ticks);
  }

  private static String number(double value) {
    return value == Math.rint(value) ? "%.0f".formatted(value) : "%.1f".formatted(value);
  }

  private static List<Series> lines(SoakReport report, double least, SoakSeries... shown) {
    List<Series> lines = new ArrayList<>();
    double unit = isShort(report) ? 1 : MINUTE;
    for (SoakSeries series : shown) {
      List<Point> points = new ArrayList<>();
      for (SoakSample sample : report.samples()) {
        sample
            .value(series)
            .ifPresent(
                value -> points.add(new Point(sample.seconds() / unit, Math.max(least, value))));
      }
      if (!points.isEmpty()) {
        lines.add(
            new Series(
                series.name().toLowerCase(Locale.ROOT),
                points,
                COLORS.get(lines.size()),
                Dash.SOLID,
                false));
      }
    }
    return lines;
  }
}
