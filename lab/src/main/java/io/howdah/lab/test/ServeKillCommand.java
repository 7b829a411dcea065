package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.serve.ServeKill;
import io.howdah.crashtest.serve.ServeKillOptions;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import io.howdah.lab.run.RunFolder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah test serve-kill}: many kills of a server under load. */
@Command(
    name = "serve-kill",
    mixinStandardHelpOptions = true,
    description =
        "Kills a memcached server under load (SIGKILL), many times. This process records every"
            + " reply and compares each item with it when the next server has started.%n")
public final class ServeKillCommand implements Callable<Integer> {

  private static final long NEEDED_BYTES = 2_000_000_000;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "100",
      description = "How often to kill (${DEFAULT-VALUE}).")
  private int kills;

  @Option(
      names = "--millis",
      paramLabel = "N",
      defaultValue = "500",
      description = "How long commands run before a kill, on average (${DEFAULT-VALUE}).")
  private int millis;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "4",
      description = "Connections that send commands (${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--modes",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "async,sync",
      description = "Modes of the servers, in turn (${DEFAULT-VALUE}).")
  private List<String> modes;

  @Option(
      names = "--backing",
      paramLabel = "KIND",
      split = ",",
      defaultValue = "mapped,shared",
      description =
          "Memory of the servers, in turn: mapped, resident, shared or auto (${DEFAULT-VALUE}).")
  private List<String> backings;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the commands and of the moments of the kills; random if not given.")
  private @Nullable Long seed;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder for the store, absent or empty; it stays. Without it one is made and removed.")
  private @Nullable Path dir;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public ServeKillCommand() {}

  @Override
  public Integer call() throws Exception {
    long chosenSeed = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
    PrintWriter out = spec.commandLine().getOut();
    MetricsRun metrics =
        MetricsRun.start("test serve-kill").param("seed", chosenSeed).param("kills", kills);
    try (RunFolder folder = RunFolder.choose(dir, NEEDED_BYTES, spec)) {
      ServeKillOptions options = options(folder.path(), chosenSeed);
      out.printf("seed %d, %d connections, store in %s%n", chosenSeed, connections, folder.path());
      Launcher launcher = Launcher.of(System.getProperty("java.class.path"));
      ServeKill.Report report =
          new ServeKill(
                  options,
                  launcher,
                  (kill, mode, acknowledged, survived) -> {
                    out.printf(
                        "kill %d (%s): %,d replies until now, %s%n",
                        kill, mode, acknowledged, survived ? "all kept" : "BROKEN");
                    out.flush();
                  })
              .run();
      report.violations().forEach(out::println);
      report.violations().forEach(metrics::violation);
      out.printf(
          "%d kills under load, %d while opening, %d starts with the memory of the process before,"
              + " %,d replies, %d broken promises%n",
          report.kills(),
          report.killsWhileOpening(),
          report.attached(),
          report.acknowledged(),
          report.violations().size());
      out.flush();
      if (!report.violations().isEmpty()) {
        folder.keep();
      }
      metrics.add(Metric.single("serveKill.kills", "count", (double) report.kills(), Map.of()));
      metrics.add(
          Metric.single(
              "serveKill.acknowledged", "count", (double) report.acknowledged(), Map.of()));
      metrics.add(
          Metric.single(
              "serveKill.violations", "count", (double) report.violations().size(), Map.of()));
    }
    json.write(metrics);
    return metrics.exitCode();
  }

  private ServeKillOptions options(Path path, long chosenSeed) {
    try {
      return new ServeKillOptions(
          path,
          chosenSeed,
          kills,
          Duration.ofMillis(millis * (long) kills),
          connections,
          modes,
          backings);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
