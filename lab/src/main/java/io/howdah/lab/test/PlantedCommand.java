package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.planted.PlantedBugs;
import io.howdah.lab.run.SourcesOption;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah test planted}: breaks the engine on purpose, and checks that the tests notice. */
@Command(
    name = "planted",
    mixinStandardHelpOptions = true,
    description =
        "Plants one bug at a time into the engine's sources (a copy), and runs the crash scenario that"
            + " must notice it. Exit code 1 if one goes unnoticed, or could not be judged.")
public final class PlantedCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "BUG",
      arity = "0..*",
      description = "The bugs to plant; all if none is named.")
  private List<String> names = List.of();

  @Mixin private SourcesOption sources = new SourcesOption();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "How long a scenario may look for one bug, and a third of what a test may take; default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the scenarios; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(names = "--list", description = "Only name the bugs.")
  private boolean list;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public PlantedCommand() {}

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (!(seconds > 0)) {
      throw new ParameterException(spec.commandLine(), "--seconds must be above 0: " + seconds);
    }
    try (PlantedBugs bugs = new PlantedBugs(sources.withSources(), seconds, seed)) {
      return call(bugs, out);
    }
  }

  private int call(PlantedBugs bugs, PrintWriter out) throws Exception {
    List<String> known = bugs.names();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new ParameterException(
            spec.commandLine(), "no bug is called " + name + "; --list names them");
      }
    }
    List<String> chosen = names.isEmpty() ? known : names;
    if (list) {
      chosen.forEach(out::println);
      out.flush();
      return 0;
    }
    return hunt(bugs, chosen, out);
  }

  private int hunt(PlantedBugs bugs, List<String> chosen, PrintWriter out) throws Exception {
    MetricsRun run = MetricsRun.start("test planted").param("seed", seed).param("seconds", seconds);
    List<Double> times = new ArrayList<>();
    int done = 0;
    for (String name : chosen) {
      done++;
      PlantedBugs.Outcome outcome;
      try {
        outcome = bugs.hunt(name);
      } catch (IllegalStateException | IllegalArgumentException e) {
        out.printf("%3d/%d  FAILED          %-32s %s%n", done, chosen.size(), name, e.getMessage());
        out.flush();
        run.violation("planted bug " + name + " could not be judged: " + e.getMessage());
        continue;
      }
      out.printf(
          "%3d/%d  %-6s %5.1f s  %-32s %s%n",
          done,
          chosen.size(),
          outcome.caught() ? "caught" : "MISSED",
          outcome.seconds(),
          name,
          outcome.rule());
      out.flush();
      if (outcome.caught()) {
        times.add(outcome.seconds());
      } else {
        run.violation("planted bug " + name + " was not noticed: " + outcome.rule());
      }
    }
    run.add(Metric.single("planted.total", "count", chosen.size(), Map.of()));
    run.add(Metric.single("planted.caught", "count", times.size(), Map.of()));
    if (!times.isEmpty()) {
      run.add(
          Metric.median(
              "planted.medianSeconds",
              "s",
              times.stream().mapToDouble(Double::doubleValue).toArray(),
              Map.of()));
    }
    out.printf("%d of %d planted bugs caught%n", times.size(), chosen.size());
    out.flush();
    json.write(run);
    return run.exitCode();
  }
}
