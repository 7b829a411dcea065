package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.MixStudy;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.TransactionMix;
import io.howdah.plot.PlotFiles;
import io.howdah.process.AtExit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that runs a mix of transactions in every commit mode. */
abstract class MixCommand extends BenchRun {

  private static final List<Double> QUANTILES = List.of(0.5, 0.99, 0.999);

  @Mixin private ThreadsOption threads;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write the latencies as a chart (SVG and PNG) into this folder.")
  private @Nullable Path out;

  private final Table table =
      new Table()
          .text("commit", 10)
          .figure("per second", 10)
          .figure("of volatile", 11)
          .figure("of async", 8)
          .figure("CPU/txn", 9)
          .figure("p50", 9)
          .figure("p99", 9)
          .figure("p99.9", 9);

  /** Returns the first part of the metrics' names. */
  abstract String prefix();

  /** Returns what is measured, for people. */
  abstract String title();

  /** Returns the size of the stores. */
  abstract long maxSize();

  /** Notes the size of the data. */
  abstract void describe(MetricsRun metrics);

  /** Fills a new store. */
  abstract TransactionMix fill(Store store);

  @Override
  final String commandName() {
    return "bench " + prefix();
  }

  @Override
  final long neededBytes() {
    return 4 * maxSize() + (4L << 30);
  }

  @Override
  final void measure(Path folder, MetricsRun metrics) throws Exception {
    describe(metrics);
    metrics.param("threads", threads.count());
    screen().line("");
    screen()
        .line(
            "  @|bold %s:|@ %d threads; %d rounds of %d ms"
                .formatted(title(), threads.count(), rounds(), roundMillis()));
    screen().line("");
    StoreOptions options = StoreOptions.defaults().withMaxSize(maxSize());
    MixStudy study = new MixStudy(folder, options, this::fill, threads.count(), effort(), this);
    AtExit.close(study);
    try (study) {
      MixStudy.Result found = study.measure(this);
      report(found, metrics);
      if (out != null) {
        Files.createDirectories(out);
        PlotFiles.write(
            out, prefix() + "-latencies", MixPlot.of(plotTitle(metrics), found.figures()));
      }
    } finally {
      AtExit.forget(study);
    }
    screen().line("");
  }

  private String plotTitle(MetricsRun metrics) {
    return "%s\n%d threads; %d rounds of %d ms\n%s"
        .formatted(title(), threads.count(), rounds(), roundMillis(), metrics.finish().origin());
  }

  private void report(MixStudy.Result found, MetricsRun metrics) {
    Map<String, Object> params = Map.of("threads", threads.count());
    Metric force = add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), params);
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    for (MixStudy.Figures figures : found.figures()) {
      report(figures, params, metrics);
    }
    addSingle(metrics, prefix() + ".verified", "count", (double) found.verified(), params);
    screen().line("");
    screen()
        .line(
            "  a raw force takes %s; the data of both stores is consistent"
                .formatted(nanos(1e9 / force.value())));
    judgeNoise(metrics, "raw force", found.forcesPerSecond());
    judgeNoise(metrics, "volatile", found.figures().getFirst().perSecond());
  }

  private void report(MixStudy.Figures figures, Map<String, Object> params, MetricsRun metrics) {
    String mode = figures.mode().name().toLowerCase(Locale.ROOT);
    String name = prefix() + "." + mode;
    boolean isVolatile = figures.mode() == MixStudy.Mode.VOLATILE;
    boolean isWaiting = !isVolatile && figures.mode() != MixStudy.Mode.ASYNC;
    Metric perSecond = add(metrics, name + ".txnPerSec", "txn/s", figures.perSecond(), params);
    Metric cpu =
        add(
            metrics,
            name + ".cpuMicrosPerTxn",
            "us",
            figures.cpuNanos().stream().map(each -> each / 1000).toList(),
            params);
    String overVolatile = "";
    if (!isVolatile) {
      overVolatile =
          ratio(
              add(metrics, name + ".overVolatile", "ratio", figures.overVolatile(), params)
                  .value());
    }
    String overAsync = "";
    if (isWaiting) {
      overAsync =
          ratio(add(metrics, name + ".overAsync", "ratio", figures.overAsync(), params).value());
    }
    String[] latencies = new String[QUANTILES.size()];
    for (int i = 0; i < latencies.length; i++) {
      latencies[i] = "";
      if (figures.latencies().getTotalCount() > 0) {
        long time = Latency.quantile(figures.latencies(), QUANTILES.get(i));
        latencies[i] = nanos(time);
        Map<String, Object> each = new LinkedHashMap<>(params);
        each.put("quantile", QUANTILES.get(i));
        addSingle(metrics, name + ".latencyMicros", "us", time / 1e3, each);
      }
    }
    screen()
        .line(
            table.row(
                mode,
                rate(perSecond.value()),
                overVolatile,
                overAsync,
                "%.2f µs".formatted(cpu.value()),
                latencies[0],
                latencies[1],
                latencies[2]));
  }
}
