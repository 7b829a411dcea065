package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.ConflictsStudy;
import io.howdah.jmh.workload.ContendedMaps.Figures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench conflicts}: threads that write to one map at the same time. */
@Command(
    name = "conflicts",
    mixinStandardHelpOptions = true,
    description =
        "Transactions of several threads on one sorted map and on one hash map: puts by Zipf, eight"
            + " puts, inserts in ascending order. Shows how many attempts are lost to conflicts, and"
            + " how many transactions a second of processor time brings.%n")
final class ConflictsCommand extends BenchRun {

  private static final int MAX_ENTRIES = 50_000_000;
  private static final int MAX_THREADS = 64;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "300000",
      description = "Entries of each map (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "8",
      description = "How many threads write (${DEFAULT-VALUE}).")
  private int threads;

  private final Table table =
      new Table()
          .text("map", 8)
          .text("transactions", 40)
          .figure("aborts/1000", 12)
          .figure("range", 18)
          .figure("per cpu s", 12)
          .figure("per s", 12);

  ConflictsCommand() {}

  @Override
  String commandName() {
    return "bench conflicts";
  }

  @Override
  long neededBytes() {
    return ConflictsStudy.neededBytes(require("--entries", entries, 1000, MAX_ENTRIES));
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    int team = require("--threads", threads, 1, MAX_THREADS);
    metrics.param("entries", entries).param("threads", team);
    Files.createDirectories(folder);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    try (ConflictsStudy study =
        new ConflictsStudy(folder.resolve("store"), entries, team, effort(), this)) {
      for (ConflictsStudy.Result result : study.run(this)) {
        report(result, metrics);
      }
    }
    screen().line("");
  }

  private void report(ConflictsStudy.Result result, MetricsRun metrics) {
    String kind = result.kind().name().toLowerCase(Locale.ROOT);
    Map<String, Object> params =
        Map.of("map", kind, "work", result.work().name(), "threads", threads);
    Metric aborts =
        add(
            metrics,
            "conflicts.abortsPerThousand",
            "count",
            result.all(Figures::abortsPerThousand),
            params);
    Metric perCpu =
        add(
            metrics,
            "conflicts.txnPerCpuSec",
            "txn/s",
            result.all(Figures::commitsPerCpuSecond),
            params);
    Metric perSecond =
        add(metrics, "conflicts.txnPerSec", "txn/s", result.all(Figures::commitsPerSecond), params);
    screen()
        .line(
            table.row(
                kind,
                result.work().text(),
                figure(aborts.value()),
                figure(aborts.min()) + " … " + figure(aborts.max()),
                rate(perCpu.value()),
                rate(perSecond.value())));
  }

  private static String figure(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
