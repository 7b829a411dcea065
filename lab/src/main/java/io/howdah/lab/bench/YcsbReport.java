package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.YcsbStudy.Cell;
import io.howdah.jmh.study.YcsbStudy.Samples;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.LoadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Prints what servers did under YCSB's mixes, beside each other, and writes the figures. */
final class YcsbReport {

  private static final double HIGH = 0.99;

  private final Screen screen;
  private final MetricsRun metrics;
  private final Table table =
      new Table()
          .text("mix", 3)
          .figure("depth", 5)
          .figure("bytes", 5)
          .text("server", 13)
          .figure("ops/s", 7)
          .figure("of m'd", 6)
          .figure("CPU/op", 8)
          .figure("of m'd", 6)
          .figure("p50", 8)
          .figure("p99", 8)
          .figure("hits", 6);

  YcsbReport(Screen screen, MetricsRun metrics) {
    this.screen = screen;
    this.metrics = metrics;
  }

  void head() {
    screen.line("@|faint " + table.head() + "|@");
    screen.line("@|faint " + table.rule() + "|@");
  }

  /** Adds one cell; memcached, if it is among the servers, comes first. */
  void add(Cell cell, int valueBytes, List<Samples> all) {
    Samples first = all.getFirst();
    boolean compares = first.subject().server().equals(YcsbServers.MEMCACHED);
    for (int i = 0; i < all.size(); i++) {
      Samples samples = all.get(i);
      boolean compared = compares && i > 0;
      Map<String, Object> params = params(cell, valueBytes, samples.subject());
      String name = "ycsb." + cell.mix();
      double perSecond =
          BenchRun.add(metrics, name + ".opsPerSec", "1/s", samples.operationsPerSecond(), params)
              .value();
      double cpu =
          BenchRun.add(metrics, name + ".serverCpuMicrosPerOp", "us", samples.cpuMicros(), params)
              .value();
      double p50 =
          BenchRun.add(metrics, name + ".p50Micros", "us", samples.p50Micros(), params).value();
      double p99 =
          BenchRun.add(metrics, name + ".p99Micros", "us", samples.p99Micros(), params).value();
      double hits =
          BenchRun.add(metrics, name + ".hitRatio", "ratio", samples.hitRatio(), params).value();
      String rateRatio = "";
      String cpuRatio = "";
      if (compared) {
        rateRatio =
            ratio(
                BenchRun.add(
                        metrics,
                        name + ".rateOverMemcached",
                        "ratio",
                        samples.rateOver(first),
                        params)
                    .value());
        cpuRatio =
            ratio(
                BenchRun.add(
                        metrics,
                        name + ".cpuOverMemcached",
                        "ratio",
                        samples.cpuOver(first),
                        params)
                    .value());
      }
      boolean isFirst = i == 0;
      screen.line(
          table.row(
              isFirst ? cell.mix().name() : "",
              isFirst ? Integer.toString(cell.depth()) : "",
              isFirst ? Integer.toString(valueBytes) : "",
              samples.subject().name(),
              rate(perSecond),
              rateRatio,
              nanos(cpu * 1e3),
              cpuRatio,
              nanos(p50 * 1e3),
              nanos(p99 * 1e3),
              "%.3f".formatted(hits)));
    }
  }

  /** Measures and adds one cell of a server whose process is not known. */
  static void addOther(
      Screen screen,
      MetricsRun metrics,
      String place,
      Cell cell,
      int valueBytes,
      int rounds,
      LoadGenerator load,
      int roundMillis)
      throws InterruptedException {
    List<Double> rates = new ArrayList<>();
    List<Double> p99 = new ArrayList<>();
    List<Double> hits = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      LoadResult result = load.run(cell.mix(), cell.depth(), roundMillis * 1_000_000L);
      rates.add(result.operationsPerSecond());
      p99.add(result.latencyNanos(HIGH) / 1e3);
      hits.add(result.hitRatio());
    }
    Map<String, Object> params =
        Map.of("server", place, "valueBytes", valueBytes, "pipeline", cell.depth());
    String name = "ycsb." + cell.mix();
    double rate = BenchRun.add(metrics, name + ".opsPerSec", "1/s", rates, params).value();
    double high = BenchRun.add(metrics, name + ".p99Micros", "us", p99, params).value();
    double ratio = BenchRun.add(metrics, name + ".hitRatio", "ratio", hits, params).value();
    screen.line(
        "  %s  depth %3d  %s  %s operations a second, p99 %s, hits %.3f"
            .formatted(cell.mix(), cell.depth(), place, rate(rate), nanos(high * 1e3), ratio));
  }

  /** Returns what a figure of one cell was measured with. */
  static Map<String, Object> params(Cell cell, int valueBytes, ServerSubject subject) {
    Map<String, Object> params = new TreeMap<>();
    params.put("server", subject.server());
    if (!subject.durability().isEmpty()) {
      params.put("durability", subject.durability());
    }
    params.put("valueBytes", valueBytes);
    params.put("pipeline", cell.depth());
    return params;
  }
}
