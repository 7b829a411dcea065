package io.howdah.replica.command.lab;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah demo replica}: a group of three processes under traffic and faults. */
@Command(
    name = "replica",
    mixinStandardHelpOptions = true,
    description =
        "Runs a service of three processes on this machine, kills, stops and cuts off members again"
            + " and again, and checks that nothing acknowledged is lost, no newest read is old, and"
            + " all members have the same memory in the end.%n")
public final class DemoCommand implements Callable<Integer> {

  private static final int MAX_FAULTS = 100_000;
  private static final int MAX_SECONDS = 604_800;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "6",
      description = "How often to kill the leader (${DEFAULT-VALUE}).")
  private int kills;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "How often to cut a member off from others, in both directions or in one"
              + " (${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--pauses",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "How often to stop the leader (SIGSTOP) until another one leads (${DEFAULT-VALUE}).")
  private int pauses;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "How long the run takes at least; faults are spread over it (${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Decides the order of the faults, and the members. Default: another each time.")
  private @Nullable Long seed;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  private final Table table =
      new Table()
          .figure("s", 7)
          .text("fault", 38)
          .figure("fail-over", 9)
          .text("leads", 5)
          .figure("acknowledged", 12)
          .figure("unknown", 7)
          .figure("lost", 4)
          .figure("stale", 5);

  /** Creates it, for the command line. */
  public DemoCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    require("--kills", kills, 0, MAX_FAULTS);
    require("--partitions", partitions, 0, MAX_FAULTS);
    require("--pauses", pauses, 0, MAX_FAULTS);
    require("--seconds", seconds, 0, MAX_SECONDS);
    long chosen = seed == null ? System.nanoTime() & 0xFFFFF : seed;
    Screen screen = Screen.of(spec.commandLine());
    MetricsRun metrics = MetricsRun.start("demo replica");
    metrics.param("seconds", seconds).param("seed", chosen);
    Path directory = Files.createTempDirectory("howdah-replica-demo");
    try {
      screen.line("");
      screen.line(
          "  @|bold Howdah demo: a store on three machines, which die, stand still and lose each"
              + " other|@");
      screen.line("  three processes, four clients that add, five that read; seed " + chosen);
      screen.line("");
      screen.line("@|faint " + table.head() + "|@");
      screen.line("@|faint " + table.rule() + "|@");
      DemoRun run =
          new DemoRun(
              directory,
              Fault.plan(kills, partitions, pauses, chosen),
              seconds * 1_000_000_000L,
              chosen,
              DemoRun.LONG_PATIENCE_NANOS);
      DemoRun.Figures figures = run.run(screen::status, row -> screen.plainLine(line(row)));
      report(figures, screen, metrics);
    } finally {
      Folders.delete(directory);
    }
    json.write(metrics);
    return metrics.exitCode();
  }

  private void require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(), "%s is from %d to %,d, not %d".formatted(option, min, max, value));
    }
  }

  private String line(DemoRun.Row row) {
    Ledger.Figures figures = row.figures();
    return table.row(
        String.format(Locale.ROOT, "%.1f", row.atNanos() / 1e9),
        row.what(),
        row.failOverNanos() < 0 ? "" : Figures.nanos(row.failOverNanos()),
        row.leader(),
        Figures.count(figures.acknowledged()),
        Figures.count(figures.unknown()),
        Figures.count(figures.lost()),
        Figures.count(figures.stale()));
  }

  private static void report(DemoRun.Figures figures, Screen screen, MetricsRun metrics) {
    Ledger.Figures ledger = figures.ledger();
    int killed = figures.count(Fault.KILL);
    int paused = figures.count(Fault.PAUSE);
    screen.line("");
    screen.line(
        String.format(
            Locale.ROOT,
            "  kills %d  partitions %d  pauses %d   acknowledged %,d  unknown %,d  lost %d   stale"
                + " reads %d of %,d",
            killed,
            figures.partitions(),
            paused,
            ledger.acknowledged(),
            ledger.unknown(),
            ledger.lost(),
            ledger.stale(),
            ledger.newestReads() + ledger.localReads()));
    List<Long> failOver = figures.failOverNanos(Fault.KILL);
    String times =
        failOver.isEmpty()
            ? ""
            : "fail-over after a kill p50 %s  max %s   "
                .formatted(
                    Figures.nanos(failOver.get(failOver.size() / 2)),
                    Figures.nanos(failOver.getLast()));
    screen.line("  " + times + figures.regions());
    ledger.complaints().forEach(each -> screen.line("  @|red " + each + "|@"));
    screen.line("");
    ledger.complaints().forEach(metrics::violation);
    count(metrics, "demo.replica.kills", killed);
    count(metrics, "demo.replica.partitions", figures.partitions());
    count(metrics, "demo.replica.pauses", paused);
    count(metrics, "demo.replica.acknowledged", ledger.acknowledged());
    count(metrics, "demo.replica.unknown", ledger.unknown());
    count(metrics, "demo.replica.lost", ledger.lost());
    count(metrics, "demo.replica.newestReads", ledger.newestReads());
    count(metrics, "demo.replica.localReads", ledger.localReads());
    count(metrics, "demo.replica.staleReads", ledger.stale());
    if (!failOver.isEmpty()) {
      metrics.add(
          Metric.median(
              "demo.replica.failOverMillis",
              "ms",
              failOver.stream().mapToDouble(nanos -> nanos / 1e6).toArray(),
              Map.of()));
    }
  }

  private static void count(MetricsRun metrics, String name, long value) {
    metrics.add(Metric.single(name, "count", (double) value, Map.of()));
  }
}
