package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.StoreOptions;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.CommitModesStudy;
import io.howdah.jmh.study.PublishedModesStudy;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench commit-modes}: what each way to commit costs, beside the disk's own cost. */
@Command(
    name = "commit-modes",
    mixinStandardHelpOptions = true,
    description =
        "Commits of six random words in every mode, beside raw forces of the same disk. All take"
            + " turns in one process; ratios are medians of the ratios within a round.%n")
final class CommitModesCommand extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final long MIB = 1 << 20;
  private static final double[] QUANTILES = {0.5, 0.99, 0.999};
  private static final String FORCE = "raw force";

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "256",
      description = "Size of the data in the store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--as-published",
      description =
          "Measure a model of Hathi's own system instead: a log for each thread, forced by itself"
              + " after 10 ms or 512 KiB, partition commits unchecked.")
  private boolean asPublished;

  private final Table rates =
      new Table()
          .text("subject", 34)
          .figure("per second", 10)
          .figure("of async", 8)
          .figure("commits/force", 13);

  private final Table latencies =
      new Table().text("latency", 44).figure("median", 9).figure("beside", 9).figure("ratio", 5);

  CommitModesCommand() {}

  @Override
  String commandName() {
    return "bench commit-modes";
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
  }

  @Override
  long neededBytes() {
    return CommitModesStudy.neededBytes(heapBytes(), effort());
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("heapMiB", heapMib);
    metrics.param("asPublished", asPublished);
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapBytes()));
    Files.createDirectories(folder);
    screen().line("");
    screen()
        .line(
            "  @|bold Commit modes:|@ six random words of %d MiB, read and written; %d rounds of %d ms"
                .formatted(heapMib, rounds(), roundMillis()));
    screen().line("");
    if (asPublished) {
      try (PublishedModesStudy study =
          new PublishedModesStudy(folder, heapBytes(), options, effort(), this)) {
        report(study.rates(), metrics);
        study.verify();
      }
      screen().line("");
      return;
    }
    try (CommitModesStudy study =
        new CommitModesStudy(folder, heapBytes(), options, effort(), this)) {
      CommitModesStudy.Rates found = study.rates();
      report(found, metrics);
      screen().line("");
      screen().line("@|faint " + latencies.head() + "|@");
      screen().line("@|faint " + latencies.rule() + "|@");
      reportOverForce(study.syncOverForce(), metrics);
      reportToStable(study.nanosToStable(), found.partitions(), metrics);
      study.verify();
    }
    reportIdle(CommitModesStudy.idlePartitions(folder, this), metrics);
    screen().line("");
  }

  // ---- How many commits a second.

  private void report(CommitModesStudy.Rates found, MetricsRun metrics) {
    screen().line("@|faint " + rates.head() + "|@");
    screen().line("@|faint " + rates.rule() + "|@");
    Metric force = add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), Map.of());
    screen().line(rates.row(FORCE + ", 4 KiB", rate(force.value()), "", ""));
    Metric write =
        add(
            metrics,
            "baseline.sequentialWrite.bytesPerSec",
            "B/s",
            found.writtenBytesPerSecond(),
            Map.of());
    screen().line(rates.row("raw sequential write", Figures.bytes(write.value()), "", ""));
    Map<String, Object> params =
        Map.of("threads", found.threads(), "partitions", found.partitions());
    reportAsync(found.threads(), found.asyncPerSecond(), found.asyncCpuShares(), params, metrics);
    report(found.modes(), metrics);
    for (CommitModesStudy.Mode mode : found.modes()) {
      if (mode instanceof CommitModesStudy.Waiting
          && mode.virtual()
          && mode.durability() == Durability.SYNC) {
        add(
            metrics,
            "modes.virtualSync.overAsync",
            "ratio",
            mode.overAsync(),
            Map.of("threads", mode.threads()));
      }
    }
    Metric share =
        add(metrics, "modes.falseDependency.share", "ratio", found.dependentShares(), params);
    screen()
        .line(
            rates.row(
                "  dependent without need", "%.2f %%".formatted(share.value() * 100), "", ""));
    judgeNoise(metrics, FORCE, found.forcesPerSecond());
  }

  private void report(PublishedModesStudy.Rates found, MetricsRun metrics) {
    screen().line("@|faint " + rates.head() + "|@");
    screen().line("@|faint " + rates.rule() + "|@");
    Metric force = add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), Map.of());
    screen().line(rates.row(FORCE + ", 4 KiB", rate(force.value()), "", ""));
    Map<String, Object> params = Map.of("threads", found.threads(), "partitions", found.threads());
    reportAsync(found.threads(), found.asyncPerSecond(), found.asyncCpuShares(), params, metrics);
    report(found.modes(), metrics);
    judgeNoise(metrics, FORCE, found.forcesPerSecond());
  }

  private void reportAsync(
      int threads,
      List<Double> perSecond,
      List<Double> cpuShares,
      Map<String, Object> params,
      MetricsRun metrics) {
    Metric async = add(metrics, "modes.async.txnPerSec", "txn/s", perSecond, params);
    screen().line(rates.row("async, " + threads(threads, false), rate(async.value()), "", ""));
    add(metrics, "modes.cpuShare", "ratio", cpuShares, params);
  }

  private void report(List<CommitModesStudy.Mode> modes, MetricsRun metrics) {
    for (CommitModesStudy.Mode mode : modes) {
      switch (mode) {
        case CommitModesStudy.SplitPhase splitPhase -> report(splitPhase, metrics);
        case CommitModesStudy.Waiting waiting -> report(waiting, metrics);
      }
    }
  }

  private void report(CommitModesStudy.SplitPhase mode, MetricsRun metrics) {
    Metric over =
        add(
            metrics,
            splitPhaseMetric(mode.durability(), mode.virtual()),
            "ratio",
            mode.overAsync(),
            Map.of(
                "intervalMillis",
                mode.intervalMillis(),
                "threads",
                mode.threads(),
                "virtual",
                mode.virtual()));
    screen()
        .line(
            rates.row(
                splitPhase(mode.durability(), mode.intervalMillis(), mode.virtual()),
                rate(median(mode.perSecond())),
                ratio(over.value()),
                ""));
  }

  private void report(CommitModesStudy.Waiting mode, MetricsRun metrics) {
    String name = mode.durability().name().toLowerCase(Locale.ROOT);
    String prefix = "modes." + name;
    Map<String, Object> params = Map.of("threads", mode.threads(), "virtual", mode.virtual());
    Metric perSecond = add(metrics, prefix + ".txnPerSec", "txn/s", mode.perSecond(), params);
    Metric perForce =
        add(metrics, prefix + ".commitsPerForce", "ratio", mode.commitsPerForce(), params);
    screen()
        .line(
            rates.row(
                name + ", " + threads(mode.threads(), mode.virtual()),
                rate(perSecond.value()),
                ratio(median(mode.overAsync())),
                ratio(perForce.value())));
  }

  private static String splitPhaseMetric(Durability durability, boolean virtual) {
    boolean stable = durability == Durability.SYNC;
    if (virtual) {
      return stable ? "modes.virtualSplitPhase.overAsync" : "modes.virtualPartition.overAsync";
    }
    return stable ? "modes.splitPhase.overAsync" : "modes.partitionSplitPhase.overAsync";
  }

  private static String splitPhase(Durability durability, double intervalMillis, boolean virtual) {
    return "async, "
        + (durability == Durability.SYNC ? "stable" : "partition")
        + " every "
        + (intervalMillis < 1 ? "" + intervalMillis : "%.0f".formatted(intervalMillis))
        + " ms"
        + (virtual ? ", virtual" : "");
  }

  private static String threads(int threads, boolean virtual) {
    return threads + (virtual ? " virtual" : "") + (threads == 1 ? " thread" : " threads");
  }

  // ---- How long one commit takes.

  private void reportOverForce(CommitModesStudy.Latencies found, MetricsRun metrics) {
    compare("sync commit over raw force, 1 thread", found);
    Map<String, Object> params = Map.of("threads", 1);
    add(metrics, "modes.sync.overRawForce", "ratio", found.ratios(), params);
    add(metrics, "modes.sync.medianMicros", "us", micros(found.nanos()), params);
    add(metrics, "baseline.force.medianMicros", "us", micros(found.besideNanos()), Map.of());
    judgeNoise(metrics, FORCE, found.besideNanos());
  }

  private void reportIdle(CommitModesStudy.Latencies found, MetricsRun metrics) {
    int idle = CommitModesStudy.IDLE_PARTITIONS;
    compare("sync commit, %d idle partitions over none".formatted(idle), found);
    Map<String, Object> params = Map.of("partitions", idle + 1);
    add(metrics, "modes.idlePartitions.latencyRatio", "ratio", found.ratios(), params);
  }

  private void compare(String what, CommitModesStudy.Latencies found) {
    screen()
        .line(
            latencies.row(
                what,
                nanos(median(found.nanos())),
                nanos(median(found.besideNanos())),
                ratio(median(found.ratios()))));
  }

  private static List<Double> micros(List<Double> nanos) {
    return nanos.stream().map(n -> n / 1e3).toList();
  }

  private void reportToStable(Histogram nanos, int partitions, MetricsRun metrics) {
    for (double quantile : QUANTILES) {
      long value = Latency.quantile(nanos, quantile);
      addSingle(
          metrics,
          "modes.timeToStableMicros",
          "us",
          value / 1e3,
          Map.of("partitions", partitions, "quantile", quantile));
      screen()
          .line(
              latencies.row(
                  "async commit to stable, nobody asking, p%s".formatted(percent(quantile)),
                  nanos(value),
                  "",
                  ""));
    }
  }

  private static String percent(double quantile) {
    return quantile * 100 % 1 == 0
        ? "%.0f".formatted(quantile * 100)
        : "%.1f".formatted(quantile * 100);
  }
}
