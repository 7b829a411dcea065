package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.study.YcsbStudy;
import io.howdah.jmh.study.YcsbStudy.Cell;
import io.howdah.jmh.study.YcsbStudy.Load;
import io.howdah.jmh.study.YcsbStudy.Samples;
import io.howdah.jmh.ycsb.Mix;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Band;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.PlotFiles;
import io.howdah.process.AtExit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Figure 1 of <i>Persistent Memcached</i> (Marathe et al., HotStorage 2017): throughput over the
 * server's threads, of a server in memory, of the same server without persistence and with it.
 */
final class YcsbFigure1 {

  /** The mixes of the figure. */
  static final List<Mix> MIXES = List.of(Mix.A, Mix.B, Mix.C, Mix.F);

  private static final String BAND_COLOR = "#f3dcc0";
  private static final List<String> COLORS = List.of("#444444", "#1f77b4", "#d62728", "#2ca02c");

  private final Screen screen;
  private final MetricsRun metrics;
  private final StudyProgress progress;
  private final List<Row> rows = new ArrayList<>();
  private final Table table =
      new Table()
          .text("mix", 3)
          .figure("threads", 7)
          .text("server", 13)
          .figure("ops/s", 8)
          .figure("of m'd", 6)
          .figure("range", 13);

  /** One point of the figure. */
  private record Row(
      Mix mix, int threads, String server, double rate, double min, double max, double ratio) {}

  YcsbFigure1(Screen screen, MetricsRun metrics, StudyProgress progress) {
    this.screen = screen;
    this.metrics = metrics;
    this.progress = progress;
  }

  /** What the paper says its persistent server reaches, of memcached's throughput. */
  private static double[] paperBand(Mix mix) {
    return mix == Mix.B || mix == Mix.C ? new double[] {0.85, 0.90} : new double[] {0.40, 0.60};
  }

  /** Measures; memcached, if it is among the servers, comes first. */
  void measure(
      Path folder,
      List<ServerSubject> subjects,
      Load load,
      List<Integer> serverThreads,
      int depth,
      Effort effort,
      long warmUpNanos)
      throws Exception {
    screen.line("");
    screen.line(
        "  @|bold Figure 1:|@ %,d records of %d bytes, depth %d, %d thread(s) of the load"
            .formatted(load.records(), load.valueBytes(), depth, load.clientThreads()));
    screen.line("");
    screen.line("@|faint " + table.head() + "|@");
    screen.line("@|faint " + table.rule() + "|@");
    for (int threads : serverThreads) {
      Path own = folder.resolve("threads-" + threads);
      Load each =
          new Load(
              load.records(), load.valueBytes(), load.clientThreads(), load.connections(), threads);
      YcsbStudy study = new YcsbStudy(own, subjects, each, progress);
      AtExit.close(study);
      try (study) {
        study.warmUp(MIXES, warmUpNanos);
        for (Mix mix : MIXES) {
          report(
              mix, threads, depth, load.valueBytes(), study.measure(new Cell(mix, depth), effort));
        }
      } finally {
        AtExit.forget(study);
      }
      Folders.delete(own);
    }
  }

  private void report(Mix mix, int threads, int depth, int valueBytes, List<Samples> all) {
    Samples first = all.getFirst();
    boolean compares = first.subject().server().equals(YcsbServers.MEMCACHED);
    for (int i = 0; i < all.size(); i++) {
      Samples samples = all.get(i);
      boolean isFirst = i == 0;
      Map<String, Object> params =
          YcsbReport.params(new Cell(mix, depth), valueBytes, samples.subject());
      params.put("serverThreads", threads);
      String name = "ycsb.figure1." + mix;
      var rate =
          BenchRun.add(metrics, name + ".opsPerSec", "1/s", samples.operationsPerSecond(), params);
      double over = Double.NaN;
      String range = "";
      if (compares && !isFirst) {
        var ratios =
            BenchRun.add(
                metrics, name + ".rateOverMemcached", "ratio", samples.rateOver(first), params);
        over = ratios.value();
        range = ratio(ratios.min()) + " … " + ratio(ratios.max());
      }
      rows.add(
          new Row(
              mix, threads, samples.subject().name(), rate.value(), rate.min(), rate.max(), over));
      screen.line(
          table.row(
              isFirst ? mix.name() : "",
              isFirst ? Integer.toString(threads) : "",
              samples.subject().name(),
              rate(rate.value()),
              Double.isNaN(over) ? "" : ratio(over),
              range));
    }
  }

  /** Writes a chart for each mix, as SVG and PNG, and all points as CSV. */
  void write(Path out) throws IOException {
    StringBuilder csv =
        new StringBuilder("workload,serverThreads,server,opsPerSec,min,max,overMemcached\n");
    Map<Mix, List<Row>> byMix = new EnumMap<>(Mix.class);
    for (Row row : rows) {
      byMix.computeIfAbsent(row.mix, _ -> new ArrayList<>()).add(row);
      csv.append(
          "%s,%d,%s,%.0f,%.0f,%.0f,%s%n"
              .formatted(
                  row.mix,
                  row.threads,
                  row.server,
                  row.rate,
                  row.min,
                  row.max,
                  Double.isNaN(row.ratio) ? "" : "%.3f".formatted(row.ratio)));
    }
    Files.writeString(out.resolve("figure1.csv"), csv);
    for (Map.Entry<Mix, List<Row>> one : byMix.entrySet()) {
      PlotFiles.write(out, "figure1-" + one.getKey(), chart(one.getKey(), one.getValue()));
    }
  }

  private static Chart chart(Mix mix, List<Row> rows) {
    Map<String, List<Point>> lines = new LinkedHashMap<>();
    for (Row row : rows) {
      lines
          .computeIfAbsent(row.server, _ -> new ArrayList<>())
          .add(new Point(row.threads, row.rate / 1e3));
    }
    List<Series> series = new ArrayList<>();
    lines.forEach(
        (name, points) ->
            series.add(
                new Series(
                    name, points, COLORS.get(series.size() % COLORS.size()), Dash.SOLID, true)));
    double most = rows.stream().mapToDouble(Row::rate).max().orElse(1) / 1e3;
    List<Integer> threads = rows.stream().map(Row::threads).distinct().sorted().toList();
    return new Chart(
        "Workload %s: %s".formatted(mix, describe(mix)),
        YcsbCharts.threads(threads),
        YcsbCharts.fromZero("thousand operations a second", most),
        series,
        List.of(),
        band(mix, Optional.ofNullable(lines.get(YcsbServers.MEMCACHED))));
  }

  private static String describe(Mix mix) {
    return switch (mix) {
      case A -> "50 % reads, 50 % updates";
      case B -> "95 % reads, 5 % updates";
      case C -> "reads";
      case D -> "95 % reads of the latest, 5 % inserts";
      case F -> "50 % reads, 50 % read-modify-writes";
    };
  }

  private static List<Band> band(Mix mix, Optional<List<Point>> memcached) {
    double[] shares = paperBand(mix);
    return memcached.stream()
        .map(
            line ->
                new Band(
                    "pmemcached in the paper: %.0f to %.0f %% of memcached"
                        .formatted(100 * shares[0], 100 * shares[1]),
                    scaled(line, shares[0]),
                    scaled(line, shares[1]),
                    BAND_COLOR))
        .toList();
  }

  private static List<Point> scaled(List<Point> line, double factor) {
    return line.stream().map(point -> new Point(point.x(), point.y() * factor)).toList();
  }
}
