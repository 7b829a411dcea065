package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.archive.Archive;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.ArchiveStudy;
import io.howdah.lab.run.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah bench archive}: what an archive costs the transactions of its store. */
@Command(
    name = "archive",
    mixinStandardHelpOptions = true,
    description =
        "Runs transactions of six random words in two stores by turns, of which one has an archive"
            + " in a directory. Bases are copied as they are due. The archive changes between the"
            + " stores, and a ratio is the geometric mean of both.%n")
final class ArchiveCommand extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final long MIB = 1 << 20;

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "128",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--every-millis",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "Interval of the archive (${DEFAULT-VALUE}). A shorter one forces more often, and a round"
              + " should have several.")
  private int everyMillis;

  @Option(
      names = "--archive-dir",
      paramLabel = "DIR",
      description =
          "Folder for the archive, for example on another disk; absent or empty. Without it, the"
              + " archive is beside the stores.")
  private @Nullable Path archiveDir;

  @Spec private CommandSpec command;

  private final Table table =
      new Table()
          .text("mode", 18)
          .figure("without", 10)
          .figure("with", 10)
          .figure("kept", 6)
          .figure("cpu/txn", 9)
          .figure("with", 9)
          .figure("ratio", 6)
          .figure("rest", 9);

  ArchiveCommand() {}

  @Override
  String commandName() {
    return "bench archive";
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
  }

  private Duration interval() {
    int min = Math.toIntExact(Archive.MIN_INTERVAL.toMillis());
    int max = Math.toIntExact(Archive.MAX_INTERVAL.toMillis());
    return Duration.ofMillis(require("--every-millis", everyMillis, min, max));
  }

  @Override
  long neededBytes() {
    long each = ArchiveStudy.neededBytes(heapBytes(), effort());
    return archiveDir == null ? 2 * each : each;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    Duration interval = interval();
    metrics.param("heapMiB", heapMib).param("everyMillis", everyMillis);
    Files.createDirectories(folder);
    Path place =
        archiveDir == null
            ? folder.resolve("archive")
            : RunFolder.choose(
                    "--archive-dir",
                    archiveDir,
                    ArchiveStudy.neededBytes(heapBytes(), effort()),
                    command)
                .path();
    screen().line("");
    screen()
        .line(
            "  @|bold Archive:|@ six random words of %d MiB, read and written; %d rounds of %d ms;"
                    .formatted(heapMib, rounds(), roundMillis())
                + " the archive every %d ms".formatted(everyMillis));
    screen().line("");
    try (ArchiveStudy study =
        new ArchiveStudy(folder, place, heapBytes(), interval, effort(), this)) {
      report(study.measure(), metrics);
      study.verify();
    }
    screen().line("");
  }

  private void report(ArchiveStudy.Found found, MetricsRun metrics) {
    Metric force = add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), Map.of());
    Metric write =
        add(
            metrics,
            "baseline.sequentialWrite.bytesPerSec",
            "B/s",
            found.writtenBytesPerSecond(),
            Map.of());
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    for (ArchiveStudy.Mode mode : found.modes()) {
      report(mode, metrics);
    }
    screen().line("");
    screen()
        .line(
            "  %s archived in %d bases and the log behind them, with %d gaps"
                .formatted(bytes((double) found.archivedBytes()), found.bases(), found.gaps()));
    screen()
        .line(
            "  raw: %s forces of 4 KiB a second, %s/s written in sequence"
                .formatted(rate(force.value()), bytes(write.value())));
    addSingle(metrics, "archive.writtenBytes", "bytes", (double) found.archivedBytes(), Map.of());
    addSingle(metrics, "archive.gaps", "count", (double) found.gaps(), Map.of());
    judgeNoise(metrics, "raw force", found.forcesPerSecond());
    judgeNoise(metrics, "raw sequential write", found.writtenBytesPerSecond());
  }

  private void report(ArchiveStudy.Mode mode, MetricsRun metrics) {
    String name = mode.durability().name().toLowerCase(Locale.ROOT);
    Map<String, Object> params = Map.of("mode", name, "threads", mode.threads());
    Metric without = rates(metrics, mode.without(), name, mode.threads(), false);
    Metric with = rates(metrics, mode.with(), name, mode.threads(), true);
    Metric kept = add(metrics, "archive.throughputKept", "ratio", mode.kept(), params);
    Metric nanosWithout = cpu(metrics, mode.nanosWithout(), name, mode.threads(), false);
    Metric nanosWith = cpu(metrics, mode.nanosWith(), name, mode.threads(), true);
    Metric costs = add(metrics, "archive.cpuRatio", "ratio", mode.costs(), params);
    Metric rest = add(metrics, "archive.restMillis", "ms", mode.restMillis(), params);
    screen()
        .line(
            table.row(
                "%s, %d thread%s".formatted(name, mode.threads(), mode.threads() == 1 ? "" : "s"),
                rate(without.value()),
                rate(with.value()),
                ratio(kept.value()),
                nanos(nanosWithout.value()),
                nanos(nanosWith.value()),
                ratio(costs.value()),
                nanos(rest.value() * 1e6)));
  }

  private static Metric rates(
      MetricsRun metrics, List<Double> perSecond, String mode, int threads, boolean isArchived) {
    return add(
        metrics,
        "archive.txnPerSec",
        "txn/s",
        perSecond,
        Map.of("mode", mode, "threads", threads, "archived", isArchived));
  }

  private static Metric cpu(
      MetricsRun metrics, List<Double> nanos, String mode, int threads, boolean isArchived) {
    return add(
        metrics,
        "archive.cpuNanosPerTxn",
        "ns",
        nanos,
        Map.of("mode", mode, "threads", threads, "archived", isArchived));
  }
}
