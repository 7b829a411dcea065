package io.howdah.lab.bench;

import io.howdah.jmh.study.MixStudy;
import io.howdah.jmh.workload.Latency;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws the latencies of transactions: how long at most each share of them took. */
final class MixPlot {

  private static final List<String> COLORS = List.of("#444444", "#1f77b4", "#2ca02c", "#d62728");
  private static final double LOWEST_MICROS = 1;
  private static final double HIGHEST_MICROS = 1e6;

  /** Decimal digits of the last share: 99.99 %. */
  private static final double MAX_NINES = 4;

  private static final int POINTS_PER_NINE = 8;

  private MixPlot() {}

  static Chart of(String title, List<MixStudy.Figures> found) {
    List<Series> series = new ArrayList<>();
    for (MixStudy.Figures figures : found) {
      if (figures.latencies().getTotalCount() > 0) {
        series.add(
            new Series(
                figures.mode().name().toLowerCase(Locale.ROOT),
                points(figures),
                COLORS.get(series.size() % COLORS.size()),
                Dash.SOLID,
                false));
      }
    }
    return new Chart(
        title,
        new Axis(
            "share of transactions",
            0,
            MAX_NINES,
            false,
            List.of(
                new Tick(0, "0 %"),
                new Tick(nines(0.5), "50 %"),
                new Tick(1, "90 %"),
                new Tick(2, "99 %"),
                new Tick(3, "99.9 %"),
                new Tick(4, "99.99 %"))),
        new Axis(
            "latency",
            LOWEST_MICROS,
            HIGHEST_MICROS,
            true,
            List.of(
                new Tick(1, "1 µs"),
                new Tick(10, "10 µs"),
                new Tick(100, "100 µs"),
                new Tick(1e3, "1 ms"),
                new Tick(1e4, "10 ms"),
                new Tick(1e5, "100 ms"),
                new Tick(1e6, "1 s"))),
        series,
        List.of());
  }

  /** Returns points up to the share that as many transactions as were timed can show. */
  private static List<Point> points(MixStudy.Figures figures) {
    double last = Math.min(MAX_NINES, Math.log10((double) figures.latencies().getTotalCount()));
    List<Point> points = new ArrayList<>();
    for (int i = 0; i <= last * POINTS_PER_NINE; i++) {
      double nines = (double) i / POINTS_PER_NINE;
      double share = Math.max(1e-9, 1 - Math.pow(10, -nines));
      double micros = Latency.quantile(figures.latencies(), share) / 1e3;
      points.add(new Point(nines, Math.clamp(micros, LOWEST_MICROS, HIGHEST_MICROS)));
    }
    return points;
  }

  static double nines(double share) {
    return -Math.log10(1 - share);
  }
}
