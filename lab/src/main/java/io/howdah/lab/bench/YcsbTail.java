package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.HalfLoadStudy;
import io.howdah.jmh.study.HalfLoadStudy.Samples;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.study.YcsbStudy.Cell;
import io.howdah.jmh.study.YcsbStudy.Load;
import io.howdah.process.AtExit;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Latencies at half load, while checkpoints run. */
final class YcsbTail {

  private static final double SHARE = 0.5;
  private static final double MEDIAN = 0.5;
  private static final double HIGH = 0.99;
  private static final double HIGHEST = 0.999;

  private final Screen screen;
  private final MetricsRun metrics;
  private final StudyProgress progress;
  private final Table table =
      new Table()
          .text("mix", 3)
          .figure("depth", 5)
          .text("server", 13)
          .figure("full", 8)
          .figure("half", 8)
          .figure("answered", 8)
          .figure("p50", 9)
          .figure("p99", 9)
          .figure("p99.9", 9)
          .figure("longest", 9)
          .figure("checkpoints", 11);

  YcsbTail(Screen screen, MetricsRun metrics, StudyProgress progress) {
    this.screen = screen;
    this.metrics = metrics;
    this.progress = progress;
  }

  void measure(
      Path folder,
      List<ServerSubject> subjects,
      Load load,
      List<Cell> cells,
      Effort effort,
      long warmUpNanos)
      throws Exception {
    screen.line("");
    screen.line(
        "  @|bold Half load:|@ values of %d bytes; latency counts from when a request was due"
            .formatted(load.valueBytes()));
    screen.line("");
    screen.line("@|faint " + table.head() + "|@");
    screen.line("@|faint " + table.rule() + "|@");
    HalfLoadStudy study = new HalfLoadStudy(folder, subjects, load, progress);
    AtExit.close(study);
    try (study) {
      for (Cell cell : cells) {
        study
            .measure(cell, effort, warmUpNanos, SHARE)
            .forEach(samples -> report(cell, load.valueBytes(), samples));
      }
    } finally {
      AtExit.forget(study);
    }
  }

  private void report(Cell cell, int valueBytes, Samples samples) {
    Map<String, Object> params = YcsbReport.params(cell, valueBytes, samples.subject());
    String name = "ycsb." + cell.mix() + ".halfLoad.";
    BenchRun.add(metrics, name + "opsPerSec", "1/s", samples.achieved(), params);
    BenchRun.add(metrics, name + "p999MicrosPerRound", "us", samples.p999Micros(), params);
    BenchRun.addSingle(
        metrics, name + "checkpoints", "count", (double) samples.checkpoints(), params);
    table(cell, samples, name, params);
  }

  private void table(Cell cell, Samples samples, String name, Map<String, Object> params) {
    screen.line(
        table.row(
            cell.mix().name(),
            Integer.toString(cell.depth()),
            samples.subject().name(),
            rate(samples.capacity()),
            rate(samples.wanted()),
            rate(samples.all().operationsPerSecond()),
            nanos(micros(samples, name + "p50Micros", MEDIAN, params) * 1e3),
            nanos(micros(samples, name + "p99Micros", HIGH, params) * 1e3),
            nanos(micros(samples, name + "p999Micros", HIGHEST, params) * 1e3),
            nanos(micros(samples, name + "maxMicros", 1, params) * 1e3),
            Integer.toString(samples.checkpoints())));
  }

  /** Adds a quantile of all rounds together. */
  private double micros(Samples samples, String name, double quantile, Map<String, Object> params) {
    double micros = samples.all().latencyNanos(quantile) / 1e3;
    return BenchRun.addSingle(metrics, name, "us", micros, params).value();
  }
}
