package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.CheckpointReport;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.CheckpointStudy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench checkpoint}: what checkpoints beside transactions cost and write. */
@Command(
    name = "checkpoint",
    mixinStandardHelpOptions = true,
    description =
        "Runs transactions of six random words with and without a checkpoint beside them, with and"
            + " without the note of what they change, and counts the bytes that checkpoints hand to"
            + " write calls for different patterns of changes.%n")
final class CheckpointCommand extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final int MIN_HEAP_MIB = 64;
  private static final int MAX_GOAL_SECONDS = 3600;
  private static final long MIB = 1 << 20;

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "512",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--recovery-goal-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "What the store with checkpoints is told (${DEFAULT-VALUE}).")
  private int goalSeconds;

  @Option(
      names = "--soak-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long words are overwritten while disk use is watched (${DEFAULT-VALUE}).")
  private int soakSeconds;

  private final Table table = new Table().text("", 40).figure("", 12).text("", 50);

  CheckpointCommand() {}

  @Override
  String commandName() {
    return "bench checkpoint";
  }

  @Override
  long neededBytes() {
    return CheckpointStudy.neededBytes(heapBytes());
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, MIN_HEAP_MIB, MAX_HEAP_MIB) * MIB;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    Duration goal =
        Duration.ofSeconds(require("--recovery-goal-seconds", goalSeconds, 1, MAX_GOAL_SECONDS));
    metrics.param("heapMiB", heapMib).param("recoveryGoalSeconds", goalSeconds);
    metrics.param("threads", CheckpointStudy.THREADS);
    Files.createDirectories(folder);
    CheckpointStudy study = new CheckpointStudy(folder, heapBytes(), effort(), this);
    screen().line("");
    report(study.tracking(), metrics);
    report(study.throughput(goal), metrics);
    screen().line("");
    study.writtenBytes(written -> report(written, metrics));
    screen().line("");
    report(study.soak(Duration.ofSeconds(soakSeconds)), metrics);
    screen().line("");
  }

  private void report(CheckpointStudy.TrackingCost found, MetricsRun metrics) {
    Map<String, Object> params = Map.of("threads", CheckpointStudy.THREADS);
    Metric cost = add(metrics, "checkpoint.trackingCost", "ratio", found.cpu(), params);
    Metric elapsed =
        add(metrics, "checkpoint.trackingCost.elapsed", "ratio", found.elapsed(), params);
    line(
        "the note of changes costs",
        "%.1f %%".formatted(100 * cost.value()),
        "of a commit's processor time; half of the rounds " + middle(found.cpu()));
    line(
        "  in time that passes",
        "%.1f %%".formatted(100 * elapsed.value()),
        "half of the rounds " + middle(found.elapsed()));
  }

  private static String middle(List<Double> samples) {
    List<Double> sorted = samples.stream().sorted().toList();
    int quarter = sorted.size() / 4;
    return "%.1f %% to %.1f %%"
        .formatted(100 * sorted.get(quarter), 100 * sorted.get(sorted.size() - 1 - quarter));
  }

  private void report(CheckpointStudy.Throughput found, MetricsRun metrics) {
    int threads = CheckpointStudy.THREADS;
    Map<String, Object> params = Map.of("threads", threads, "scheme", "dual");
    Metric kept = add(metrics, "checkpoint.throughputKept", "ratio", found.kept(), params);
    add(metrics, "baseline.rawSixWords.perSec", "1/s", found.raw(), Map.of("threads", threads));
    judgeNoise(metrics, "raw words", found.raw());
    line(
        "transactions/s without checkpoints",
        rate(median(found.without())),
        "six random words, %d threads, async".formatted(threads));
    line(
        "transactions/s, checkpoints without pause",
        rate(median(found.with())),
        "kept %s; %d checkpoints".formatted(ratio(kept.value()), found.checkpoints()));
    CheckpointReport last = found.last();
    if (last != null) {
      line(
          "  the last of them",
          nanos(last.took().toNanos()),
          "%d pages, %s written".formatted(last.dirtyPages(), bytes((double) last.writtenBytes())));
    }
    Metric tail = add(metrics, "checkpoint.p999.ratio", "ratio", found.tailRatios(), params);
    line("p99.9 of a transaction", ratio(tail.value()), "of that without checkpoints");
    addSingle(
        metrics,
        "checkpoint.abortsCaused",
        "count",
        (double) found.abortsCaused(),
        Map.of("threads", 1, "scheme", "dual"));
    line(
        "aborts caused",
        Long.toString(found.abortsCaused()),
        "one thread and checkpoints without pause");
  }

  private void report(CheckpointStudy.Written written, MetricsRun metrics) {
    String scheme = written.scheme();
    CheckpointReport report = written.report();
    String took = report == null ? "a model" : "took " + nanos(report.took().toNanos());
    Map<String, Object> params = new HashMap<>();
    params.put("scheme", scheme);
    params.put("pattern", written.pattern());
    boolean isSweep = written.linesPerPage() > 0;
    if (isSweep) {
      params.put("dirtyLinesPerPage", written.linesPerPage());
    }
    addSingle(metrics, "checkpoint.bytesPerDirtyByte", "ratio", written.perDirtyByte(), params);
    String dirty = bytes((double) written.dirtyBytes());
    if (isSweep) {
      line(
          "%s, %d lines per page".formatted(scheme, written.linesPerPage()),
          ratio(written.perDirtyByte()),
          dirty + "; " + took);
      return;
    }
    String pages = "";
    if (report != null) {
      addSingle(metrics, "checkpoint.millis", "ms", report.took().toNanos() / 1e6, params);
      pages = " in %d pages, %d whole".formatted(report.dirtyPages(), report.wholePages());
    }
    line(
        "%s, %s: bytes per dirty byte".formatted(scheme, written.pattern()),
        ratio(written.perDirtyByte()),
        "%s dirty%s; %s".formatted(dirty, pages, took));
  }

  private void report(CheckpointStudy.Soak soak, MetricsRun metrics) {
    double max = Collections.max(soak.diskBytes());
    double bound = (double) soak.boundBytes();
    addSingle(metrics, "checkpoint.soak.diskBytesMax", "bytes", max, Map.of());
    addSingle(metrics, "checkpoint.soak.diskBytesBound", "bytes", bound, Map.of());
    add(metrics, "checkpoint.soak.diskBytes", "bytes", soak.diskBytes(), Map.of());
    line(
        "disk use while overwriting",
        bytes(max),
        "bound %s; %d s, %s of words, %d checkpoints"
            .formatted(
                bytes(bound),
                soakSeconds,
                bytes((double) soak.writtenBytes()),
                soak.checkpoints()));
    line("  every half second, MiB", "", curve(soak.diskBytes()));
    if (max > bound) {
      metrics.violation("disk use " + max + " is above its bound " + bound);
    }
  }

  private static String curve(List<Double> bytes) {
    StringBuilder text = new StringBuilder();
    for (double value : bytes) {
      text.append(Math.round(value / MIB)).append(' ');
    }
    return text.toString().strip();
  }

  private void line(String what, String figure, String remark) {
    screen().line(table.row(what, figure, remark));
  }
}
