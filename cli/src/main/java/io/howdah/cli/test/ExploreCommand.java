package io.howdah.cli.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.crashtest.scenario.Budget;
import io.howdah.crashtest.scenario.Scenario;
import io.howdah.crashtest.scenario.Scenarios;
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
import picocli.CommandLine.Spec;

/** {@code howdah test explore}: simulated crashes of the whole engine, as many as time allows. */
@Command(
    name = "explore",
    mixinStandardHelpOptions = true,
    description =
        "Runs the whole engine on a simulated disk under a deterministic scheduler, crashes it"
            + " between any two steps, brings the disk back in legal states and judges what"
            + " recovery returns. Every finding names the command that repeats it.")
public final class ExploreCommand implements Callable<Integer> {

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description = "Only this scenario; may be repeated. Default: all.")
  private List<String> names = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the first attempt; each further one takes the next. Default: 1.")
  private long seed;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How long each scenario runs; default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--attempts",
      paramLabel = "N",
      description = "How many attempts each scenario makes at most; default: no limit.")
  private long attempts = Long.MAX_VALUE;

  @Option(names = "--list", description = "Only name the scenarios.")
  private boolean list;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public ExploreCommand() {}

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      for (Scenario scenario : Scenarios.all()) {
        out.printf("%-16s %s%n", scenario.name(), scenario.hazard());
      }
      out.flush();
      return 0;
    }
    if (!(seconds > 0) || attempts < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--seconds and --attempts must be above 0: " + seconds + ", " + attempts);
    }
    MetricsRun run = MetricsRun.start("test explore").param("seed", seed).param("seconds", seconds);
    long started = System.nanoTime();
    long explored = 0;
    for (Scenario scenario : chosen()) {
      out.printf("%-16s ", scenario.name());
      out.flush();
      Budget budget = new Budget(seed, seconds, attempts);
      try {
        scenario.run(budget);
        out.printf("%8d attempts, no promise broken%n", budget.attempts());
      } catch (Violation violation) {
        out.printf("BROKEN at attempt %d%n  %s%n", budget.attempts(), violation.getMessage());
        run.violation(scenario.name() + ": " + violation.getMessage());
      }
      out.flush();
      explored += budget.attempts();
    }
    double took = (System.nanoTime() - started) / 1e9;
    run.add(Metric.single("explore.states", "count", (double) explored, Map.of()));
    run.add(Metric.single("explore.statesPerSec", "1/s", explored / took, Map.of()));
    run.add(
        Metric.single("explore.violations", "count", run.finish().violations().size(), Map.of()));
    json.write(run);
    return run.exitCode();
  }

  private List<Scenario> chosen() {
    if (names.isEmpty()) {
      return Scenarios.all();
    }
    List<Scenario> chosen = new ArrayList<>();
    for (String name : names) {
      try {
        chosen.add(Scenarios.named(name));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }
    return chosen;
  }
}
