package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.FeedStudy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench feed}: how far a listener to changes is behind. */
@Command(
    name = "feed",
    mixinStandardHelpOptions = true,
    description =
        "Transfers between accounts at a rate, in durable transactions, while a listener to the"
            + " changes writes an audit trail in durable transactions: one change a call, and"
            + " batches. Shows how long after its transfer an entry is durable, and verifies the"
            + " trail.%n")
final class FeedCommand extends BenchRun {

  private static final int MAX_RATE = 1_000_000;
  private static final int MAX_SECONDS = 3600;
  private static final int MAX_WRITERS = 1000;
  private static final int MAX_BATCH = 1_000_000;

  /** The journal keeps that many changes. */
  private static final long MAX_TRANSFERS = 4_000_000;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "5000",
      description = "Transfers for a second of all writers together (${DEFAULT-VALUE}).")
  private int transfersPerSecond;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "For how long they transfer (${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--writers",
      paramLabel = "N",
      defaultValue = "64",
      description = "How many threads transfer (${DEFAULT-VALUE}).")
  private int writers;

  @Option(
      names = "--batch",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,1000",
      description = "The most changes of one call of the listener (${DEFAULT-VALUE}).")
  private List<Integer> batches = List.of();

  private final Table table =
      new Table()
          .figure("changes a call", 16)
          .figure("transfers/s", 14)
          .figure("median lag", 12)
          .figure("longest lag", 12)
          .figure("changes behind", 16);

  FeedCommand() {}

  @Override
  String commandName() {
    return "bench feed";
  }

  @Override
  long neededBytes() {
    return FeedStudy.neededBytes();
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    require("--rate", transfersPerSecond, 1, MAX_RATE);
    require("--seconds", seconds, 1, MAX_SECONDS);
    require("--writers", writers, 1, MAX_WRITERS);
    if ((long) transfersPerSecond * seconds > MAX_TRANSFERS) {
      throw usage("--rate and --seconds make more than %,d transfers".formatted(MAX_TRANSFERS));
    }
    for (int batch : batches) {
      require("--batch", batch, 1, MAX_BATCH);
    }
    metrics.param("rate", transfersPerSecond).param("seconds", seconds).param("writers", writers);
    Files.createDirectories(folder);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    FeedStudy study = new FeedStudy(transfersPerSecond, seconds, writers);
    for (int batch : batches) {
      report(batch, study.run(folder.resolve("store-" + batch), batch, this), metrics);
    }
    screen().line("");
  }

  private void report(int batch, FeedStudy.Result result, MetricsRun metrics) {
    Map<String, Object> params = Map.of("batch", batch);
    addSingle(metrics, "feed.transfersPerSec", "txn/s", result.transfersPerSecond(), params);
    addSingle(metrics, "feed.medianLagNanos", "ns", result.medianNanos(), params);
    addSingle(metrics, "feed.maxLagNanos", "ns", result.maxNanos(), params);
    addSingle(metrics, "feed.maxChangesBehind", "count", (double) result.maxChanges(), params);
    screen()
        .line(
            table.row(
                Figures.count(batch),
                rate(result.transfersPerSecond()),
                nanos(result.medianNanos()),
                nanos(result.maxNanos()),
                Figures.count(result.maxChanges())));
  }
}
