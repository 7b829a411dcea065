package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.VacationStudy;
import io.howdah.jmh.workload.Vacation.Contention;
import io.howdah.txn.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code howdah bench vacation}: STAMP's travel agency in every commit mode. */
@Command(
    name = "vacation",
    mixinStandardHelpOptions = true,
    description =
        "Sessions of a travel agency after STAMP's vacation, without a log, with asynchronous"
            + " commit, and with waits at intervals: Hathi's Figure 4(b). All take turns in one"
            + " process; ratios are medians of the ratios within a round. The tables are verified"
            + " at the end.%n")
final class VacationCommand extends BenchRun {

  private static final int MAX_RELATIONS = 1 << 24;
  private static final String FORCE = "raw force";

  @Option(
      names = "--relations",
      paramLabel = "N",
      defaultValue = "65536",
      description = "Rows of each of the four tables (${DEFAULT-VALUE}).")
  private int relations;

  @Mixin private ThreadsOption threads;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write Figure 4(b) as SVG and PNG into this folder.")
  private @Nullable Path out;

  private final Table table =
      new Table()
          .text("contention", 10)
          .text("sessions", 34)
          .figure("per second", 10)
          .figure("of volatile", 11)
          .figure("of async", 8);

  VacationCommand() {}

  @Override
  String commandName() {
    return "bench vacation";
  }

  @Override
  long neededBytes() {
    return VacationStudy.neededBytes(require("--relations", relations, 1, MAX_RELATIONS));
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("relations", relations).param("threads", threads.count());
    if (out != null) {
      Files.createDirectories(out);
    }
    screen().line("");
    screen()
        .line(
            "  @|bold Vacation:|@ %d rows in each table, %d threads; %d rounds of %d ms"
                .formatted(relations, threads.count(), rounds(), roundMillis()));
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    for (Contention contention : List.of(Contention.LOW, Contention.HIGH)) {
      Path stores = folder.resolve(contention.name());
      try (VacationStudy study =
          new VacationStudy(stores, relations, threads.count(), effort(), this)) {
        VacationStudy.Result found = study.measure(contention, this);
        report(found, metrics);
        if (out != null) {
          VacationPlot.write(metrics.finish(), contention, out);
        }
      }
    }
    screen().line("");
  }

  private void report(VacationStudy.Result found, MetricsRun metrics) {
    String contention = found.contention().name();
    Map<String, Object> params = Map.of("contention", contention, "threads", threads.count());
    Metric without =
        add(metrics, "vacation.volatile.txnPerSec", "txn/s", found.volatilePerSecond(), params);
    Metric async =
        add(metrics, "vacation.async.txnPerSec", "txn/s", found.asyncPerSecond(), params);
    Metric over =
        add(metrics, "vacation.async.overVolatile", "ratio", found.asyncOverVolatile(), params);
    add(metrics, "vacation.async.cpuShare", "ratio", found.cpuShares(), params);
    add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), params);
    addSingle(metrics, "vacation.reservations", "count", (double) found.reservations(), params);
    screen().line(table.row(contention, "volatile", rate(without.value()), "", ""));
    screen().line(table.row("", "async", rate(async.value()), ratio(over.value()), ""));
    for (VacationStudy.SplitPhase wait : found.splitPhases()) {
      boolean isPartition = wait.durability() == Durability.PARTITION;
      Metric metric =
          add(
              metrics,
              isPartition
                  ? "vacation.partitionSplitPhase.overAsync"
                  : "vacation.splitPhase.overAsync",
              "ratio",
              wait.overAsync(),
              Map.of(
                  "contention",
                  contention,
                  "threads",
                  threads.count(),
                  "intervalMillis",
                  wait.intervalMillis()));
      screen()
          .line(
              table.row(
                  "",
                  "async, %s every %s ms"
                      .formatted(
                          isPartition ? "partition" : "stable",
                          "%.1f".formatted(wait.intervalMillis())),
                  rate(median(wait.perSecond())),
                  "",
                  ratio(metric.value())));
    }
    judgeNoise(metrics, FORCE, found.forcesPerSecond());
    judgeNoise(metrics, "volatile", found.volatilePerSecond());
  }
}
