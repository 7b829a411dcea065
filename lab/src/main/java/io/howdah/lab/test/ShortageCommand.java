package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.workload.Shortage;
import io.howdah.crashtest.workload.ShortageSweep;
import io.howdah.lab.run.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah test shortage}: no heap or no stack is left in the middle of operations. */
@Command(
    name = "shortage",
    mixinStandardHelpOptions = true,
    description =
        "Runs operations, openings and closes in a process whose heap is full, or near the end of a"
            + " stack. The store must go on or say that it has stopped, and the next opening must"
            + " have what was acknowledged.")
public final class ShortageCommand implements Callable<Integer> {

  private static final long NEEDED_BYTES = 100_000_000;

  @Option(
      names = "--of",
      paramLabel = "WHAT",
      split = ",",
      defaultValue = "STACK,MEMORY",
      description = "What runs out: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
  private List<Shortage> shortages = List.of();

  @Option(
      names = "--operations",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many with each shortage; default: ${DEFAULT-VALUE}.")
  private long operations;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "120",
      description = "None is begun after this time, for each; default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of operations and shortages; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public ShortageCommand() {}

  @Override
  public Integer call() throws Exception {
    if (!(seconds > 0) || operations < 1) {
      throw new ParameterException(
          spec.commandLine(), "--seconds and --operations must be above 0");
    }
    MetricsRun run = MetricsRun.start("test shortage").param("seed", seed);
    for (Shortage shortage : shortages) {
      sweep(shortage, run);
    }
    json.write(run);
    return run.exitCode();
  }

  private void sweep(Shortage shortage, MetricsRun run) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    String what = shortage.name().toLowerCase(Locale.ROOT);
    StringWriter printed = new StringWriter();
    try (RunFolder folder = RunFolder.choose(null, NEEDED_BYTES, spec)) {
      Files.createDirectories(folder.path());
      boolean passed =
          ShortageSweep.run(
              folder.path(), shortage, seed, operations, seconds, new PrintWriter(printed));
      List<String> lines = printed.toString().lines().toList();
      for (String line : lines) {
        out.println(what + ": " + line);
        count(what, line, run);
      }
      if (!passed) {
        folder.keep();
        run.violation(
            lines.stream()
                .filter(line -> line.startsWith("violation"))
                .findFirst()
                .orElse("the process with a shortage of " + what + " failed"));
        out.println("the store is left in " + folder.path());
      }
      out.flush();
    }
  }

  private static void count(String what, String line, MetricsRun run) {
    String[] parts = line.split(" ", -1);
    for (ShortageSweep.Outcome outcome : ShortageSweep.Outcome.values()) {
      if (parts.length == 2 && parts[0].equals(outcome.name())) {
        Map<String, Object> params =
            Map.of("of", what, "outcome", parts[0].toLowerCase(Locale.ROOT));
        run.add(
            Metric.single("shortage.operations", "count", Double.parseDouble(parts[1]), params));
      }
    }
  }
}
