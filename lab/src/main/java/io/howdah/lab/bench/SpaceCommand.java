package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.SpaceStudy;
import io.howdah.jmh.workload.Churn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench space}: what long use leaves of a store's room. */
@Command(
    name = "space",
    mixinStandardHelpOptions = true,
    description =
        "Allocates and frees blocks around a steady total, with several threads that free each"
            + " other's, while the range of lengths changes; shows after each change how much of the"
            + " room that blocks have reached they hold, and whether all of it comes back.%n")
final class SpaceCommand extends BenchRun {

  private static final int MAX_OPERATIONS = 1_000_000_000;
  private static final int MAX_LIVE_MIB = 1 << 20;
  private static final int MAX_THREADS = 64;

  @Option(
      names = "--operations",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "Allocations and frees of all phases together (${DEFAULT-VALUE}).")
  private int operations;

  @Option(
      names = "--live-mib",
      paramLabel = "MIB",
      defaultValue = "256",
      description = "What blocks in use hold together (${DEFAULT-VALUE}).")
  private int liveMib;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "How many threads allocate and free (${DEFAULT-VALUE}).")
  private int threads;

  private final Table table =
      new Table()
          .text("lengths", 10)
          .figure("operations/s", 14)
          .figure("blocks", 12)
          .figure("asked for", 12)
          .figure("blocks take", 12)
          .figure("reached", 12)
          .figure("used", 8);

  SpaceCommand() {}

  @Override
  String commandName() {
    return "bench space";
  }

  @Override
  long neededBytes() {
    return study().neededBytes();
  }

  private SpaceStudy study() {
    return new SpaceStudy(
        (long) require("--live-mib", liveMib, 1, MAX_LIVE_MIB) << 20,
        require("--operations", operations, 1000, MAX_OPERATIONS),
        require("--threads", threads, 1, MAX_THREADS));
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("operations", operations).param("liveMib", liveMib).param("threads", threads);
    Files.createDirectories(folder);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    SpaceStudy.Freed freed =
        study()
            .run(
                folder.resolve("store"),
                this,
                (phase, figures) -> {
                  show(phase, figures);
                  add(phase, figures, metrics);
                });
    Churn.Figures empty = freed.figures();
    show("all freed", empty);
    double largest = (double) freed.largestBlockBytes();
    addSingle(metrics, "space.freed.largestBlockBytes", "bytes", largest, Map.of());
    addSingle(
        metrics,
        "space.freed.freeShare",
        "ratio",
        (double) empty.freeBytes() / empty.reachBytes(),
        Map.of());
    screen().line("");
    screen()
        .line(
            "  all freed, the longest block that fits below what was reached: "
                + Figures.bytes(largest));
    screen().line("");
  }

  private static void add(String phase, Churn.Figures figures, MetricsRun metrics) {
    Map<String, Object> params = Map.of("lengths", phase);
    metrics.add(Metric.single("space.operationsPerSec", "1/s", figures.operationsPerSec(), params));
    metrics.add(
        Metric.single(
            "space.utilisation",
            "ratio",
            (double) figures.askedBytes() / figures.reachBytes(),
            params));
    metrics.add(
        Metric.single(
            "space.blocksOverAsked",
            "ratio",
            (double) figures.blockBytes() / figures.askedBytes(),
            params));
    metrics.add(
        Metric.single(
            "space.freeShare",
            "ratio",
            (double) figures.freeBytes() / figures.reachBytes(),
            params));
  }

  private void show(String phase, Churn.Figures figures) {
    screen()
        .line(
            table.row(
                phase,
                rate(figures.operationsPerSec()),
                Figures.count(figures.blocks()),
                Figures.bytes((double) figures.askedBytes()),
                Figures.bytes((double) figures.blockBytes()),
                Figures.bytes((double) figures.reachBytes()),
                "%.0f %%".formatted(100.0 * figures.askedBytes() / figures.reachBytes())));
  }
}
