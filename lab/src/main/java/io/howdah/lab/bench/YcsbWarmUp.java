package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.study.WarmUpStudy;
import io.howdah.jmh.study.WarmUpStudy.Plan;
import io.howdah.jmh.ycsb.Timeline.Step;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** Hit ratio and rate after a kill: a server that kept its items beside one that begins empty. */
final class YcsbWarmUp {

  /** The hit ratio that counts as warm. */
  private static final double WARM = 0.95;

  private static final List<String> COLORS = List.of("#444444", "#d62728", "#1f77b4");

  private final Screen screen;
  private final MetricsRun metrics;
  private final StudyProgress progress;
  private final Map<String, List<Step>> curves = new LinkedHashMap<>();
  private final Table table =
      new Table()
          .text("server", 13)
          .figure("first read", 10)
          .figure("95 % hits", 10)
          .figure("hits at end", 11)
          .figure("reads/s at end", 14);

  YcsbWarmUp(Screen screen, MetricsRun metrics, StudyProgress progress) {
    this.screen = screen;
    this.metrics = metrics;
    this.progress = progress;
  }

  /** Measures the servers one after the other. */
  void measure(Path folder, List<ServerSubject> subjects, Plan plan)
      throws IOException, InterruptedException {
    screen.line("");
    screen.line(
        "  @|bold Warm-up|@ after a kill: %,d records of %d bytes; a database answers %,.0f reads/s"
            .formatted(plan.records(), plan.valueBytes(), plan.databaseReads()));
    screen.line("");
    screen.line("@|faint " + table.head() + "|@");
    screen.line("@|faint " + table.rule() + "|@");
    for (ServerSubject subject : subjects) {
      List<Step> steps = WarmUpStudy.measure(folder, subject, plan, progress);
      curves.put(subject.name(), steps);
      report(subject, plan, steps);
    }
  }

  private void report(ServerSubject subject, Plan plan, List<Step> steps) {
    Map<String, Object> params = new TreeMap<>();
    params.put("server", subject.server());
    if (!subject.durability().isEmpty()) {
      params.put("durability", subject.durability());
    }
    params.put("items", plan.records());
    params.put("valueBytes", plan.valueBytes());
    params.put("databaseReads", plan.databaseReads());
    double first = seconds(steps, 0);
    double warm = seconds(steps, WARM);
    Step last = steps.getLast();
    add("ycsb.warmUp.firstReadSeconds", "s", first, params);
    add("ycsb.warmUp.warmSeconds", "s", warm, params);
    add("ycsb.warmUp.endHitRatio", "ratio", last.hitRatio(), params);
    add("ycsb.warmUp.endReadsPerSec", "1/s", last.readsPerSecond(), params);
    screen.line(
        table.row(
            subject.name(),
            nanos(first * 1e9),
            warm < 0 ? "not yet" : nanos(warm * 1e9),
            "%.3f".formatted(last.hitRatio()),
            "%,.0f".formatted(last.readsPerSecond())));
  }

  /** Returns when a step with reads first had this ratio of hits; -1 if none had. */
  private static double seconds(List<Step> steps, double ratio) {
    return steps.stream()
        .filter(step -> step.readsPerSecond() > 0 && step.hitRatio() >= ratio)
        .mapToDouble(Step::seconds)
        .findFirst()
        .orElse(-1);
  }

  private void add(String name, String unit, double value, Map<String, Object> params) {
    BenchRun.addSingle(metrics, name, unit, value, params);
  }

  /** Writes two charts, as SVG and PNG, and the curves as CSV. */
  void write(Path out) throws IOException {
    StringBuilder csv = new StringBuilder("server,seconds,hitRatio,readsPerSec\n");
    curves.forEach(
        (server, steps) ->
            steps.forEach(
                step ->
                    csv.append(
                        "%s,%.2f,%.4f,%.0f%n"
                            .formatted(
                                server, step.seconds(), step.hitRatio(), step.readsPerSecond()))));
    Files.writeString(out.resolve("warm-up.csv"), csv);
    PlotFiles.write(
        out,
        "warm-up-hits",
        chart("Hits after kill -9", "share of reads that hit", 1, Step::hitRatio));
    double most =
        curves.values().stream()
            .flatMap(List::stream)
            .mapToDouble(Step::readsPerSecond)
            .max()
            .orElse(1);
    PlotFiles.write(
        out,
        "warm-up-rate",
        chart(
            "Reads a second after kill -9",
            "thousand reads a second",
            most / 1e3,
            step -> step.readsPerSecond() / 1e3));
  }

  private Chart chart(String title, String label, double most, ToDoubleFunction<Step> value) {
    List<Series> series = new ArrayList<>();
    curves.forEach(
        (server, steps) ->
            series.add(
                new Series(
                    server,
                    steps.stream()
                        .map(step -> new Point(step.seconds(), value.applyAsDouble(step)))
                        .toList(),
                    COLORS.get(series.size() % COLORS.size()),
                    Dash.SOLID,
                    false)));
    double last =
        curves.values().stream().mapToDouble(steps -> steps.getLast().seconds()).max().orElse(1);
    return new Chart(
        title,
        YcsbCharts.fromZero("seconds since the process was started", last / 1.05),
        YcsbCharts.fromZero(label, most),
        series,
        List.of());
  }
}
