package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.log.StandardErrorLog;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.crashtest.scenario.Budget;
import io.howdah.crashtest.scenario.Scenario;
import io.howdah.crashtest.scenario.Scenarios;
import io.howdah.crashtest.workload.Explored;
import io.howdah.crashtest.workload.Sequences;
import io.howdah.crashtest.workload.SmallWorkloads;
import io.howdah.crashtest.workload.WorkloadSweep;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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

  @Option(
      names = "--length",
      paramLabel = "L",
      description =
          "Instead of scenarios: all sequences of so many operations of a store, 1 to 8, each dying"
              + " at moments spread over it.")
  private @Nullable Integer length;

  @Option(
      names = "--states",
      paramLabel = "N",
      description =
          "With --length or --workload: end with the moment of death after so many states of the"
              + " disk; default: no limit.")
  private long maxStates = Long.MAX_VALUE;

  @Option(
      names = "--points",
      paramLabel = "N",
      description =
          "With --length or --workload: moments at which each sequence dies; default: before, in"
              + " the middle of and after each operation that changes the disk.")
  private int points = Integer.MAX_VALUE;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "With --length or --workload: recoveries that are run for each power cut, at most; what"
              + " they read says which other states need no run. Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--recovery-points",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "With --length or --workload: moments at which recoveries die, for each crash; default:"
              + " ${DEFAULT-VALUE}.")
  private int recoveryPoints;

  @Option(
      names = "--shuffle",
      description =
          "With --length: take the sequences in an order that follows from the seed, so that what"
              + " --seconds leaves of them is a sample.")
  private boolean shuffle;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description =
          "With --length or --workload: simulations beside each other; default: four for each"
              + " processor, because one waits most of the time.")
  private int jobs = 4 * Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--resume",
      paramLabel = "FILE",
      description =
          "With --length or --workload: keep in FILE which sequences are done, and go on with the"
              + " next one.")
  private @Nullable Path resume;

  @Option(
      names = "--workload",
      paramLabel = "STEPS",
      description =
          "Instead of scenarios: this sequence of operations, 1 to 8 with commas between, dying at"
              + " moments spread over it.")
  private @Nullable String workload;

  @Option(
      names = "--replay",
      paramLabel = "CRASH",
      description = "With --workload: only this crash, as a finding names it.")
  private String replay = "";

  @Option(names = "--list", description = "Only name the scenarios.")
  private boolean list;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public ExploreCommand() {}

  @Override
  public Integer call() throws Exception {
    // Stores stop here on purpose, and each would say so.
    StandardErrorLog.setLevel(System.Logger.Level.OFF);
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      for (Scenario scenario : Scenarios.all()) {
        out.printf("%-16s %s%n", scenario.name(), scenario.hazard());
      }
      out.flush();
      return 0;
    }
    if (jobs < 1) {
      throw new ParameterException(spec.commandLine(), "--jobs must be at least 1: " + jobs);
    }
    if (!(seconds > 0) || attempts < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--seconds and --attempts must be above 0: " + seconds + ", " + attempts);
    }
    MetricsRun run = MetricsRun.start("test explore").param("seed", seed).param("seconds", seconds);
    if (workload != null && length != null) {
      throw new ParameterException(
          spec.commandLine(), "give either --length, for all sequences, or --workload, for one");
    }
    if (!replay.isEmpty()) {
      return repeat(out);
    }
    if (workload != null || length != null) {
      explore(run, out);
      json.write(run);
      return run.exitCode();
    }
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

  private int repeat(PrintWriter out) {
    if (workload == null) {
      throw new ParameterException(
          spec.commandLine(), "--replay needs the --workload of the crash");
    }
    try {
      SmallWorkloads.replay(workload, seed, replay);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (Violation violation) {
      out.println(violation.getMessage());
      out.flush();
      return 1;
    }
    out.println(workload + ": no promise broken");
    out.flush();
    return 0;
  }

  private void explore(MetricsRun run, PrintWriter out) throws IOException, InterruptedException {
    SmallWorkloads workloads;
    try {
      workloads = new SmallWorkloads(sequences(), seed, points, runs, recoveryPoints);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    Sequences sequences = workloads.sequences();
    long count = sequences.count();
    ResumeFile done =
        new ResumeFile(
            resume,
            "%s of %d kinds at %d moments, %d runs, %d in recoveries, seed %d%s"
                .formatted(
                    workload != null ? workload : "length " + length,
                    Sequences.kinds(),
                    points,
                    runs,
                    recoveryPoints,
                    seed,
                    shuffle ? ", shuffled" : ""));
    StatusLine status = new StatusLine(out);
    long started = System.nanoTime();
    WorkloadSweep sweep = new WorkloadSweep(workloads, jobs, maxStates, seconds);
    WorkloadSweep.Result result =
        sweep.run(
            done.next(),
            new WorkloadSweep.Progress() {
              private long next = done.next();

              @Override
              public void done(long next, Explored explored) throws IOException {
                this.next = next;
                goingOn(explored.states());
                if (next > done.next()) {
                  done.done(next - 1);
                }
              }

              @Override
              public void goingOn(long states) {
                long sequence = WorkloadSweep.sequence(next);
                status.show(
                    "%,d of %,d sequences, %,d states".formatted(sequence, count, states),
                    (double) sequence / count);
              }

              @Override
              public void broken(Violation violation) {
                status.clear();
                out.println(violation.getMessage());
                out.flush();
                run.violation(violation.toString());
              }
            });
    Explored explored = result.explored();
    status.clear();
    double took = (System.nanoTime() - started) / 1e9;
    out.printf(
        "%,d of %,d sequences of length %d done, %,d of them now%n"
            + "%,d states, %,d of them after a crash in recovery; %.1f states/s%n"
            + "%,d recoveries run, %.1f/s; the other states differ from these in what a recovery"
            + " does not read; %,d of them run all the same, as an audit%n"
            + "%,d more states of these crashes left out%n",
        WorkloadSweep.sequence(done.next()),
        count,
        sequences.length(),
        result.sequences(),
        explored.states(),
        explored.inRecovery(),
        explored.states() / took,
        explored.runs(),
        explored.runs() / took,
        explored.audited(),
        explored.leftOut());
    if (result.cutShort() > 0) {
      out.printf(
          "%,d sequences begun and not done, with %,d of their moments of death left%n",
          result.cutShort(), explored.pointsLeft());
    }
    if (WorkloadSweep.sequence(done.next()) < count) {
      out.printf(
          "skipped: sequences from %,d on; --resume continues there%n",
          WorkloadSweep.sequence(done.next()));
    }
    out.flush();
    Map<String, Object> params = Map.of("length", sequences.length());
    run.add(Metric.single("explore.states", "count", (double) explored.states(), params));
    run.add(Metric.single("explore.statesPerSec", "1/s", explored.states() / took, params));
    run.add(Metric.single("explore.runs", "count", (double) explored.runs(), params));
    run.add(Metric.single("explore.workloads", "count", (double) result.sequences(), params));
    run.add(Metric.single("explore.violations", "count", run.finish().violations().size(), params));
  }

  private Sequences sequences() {
    if (workload != null) {
      return Sequences.only(workload);
    }
    int operations = Objects.requireNonNull(length, "asked for before");
    return shuffle ? Sequences.shuffled(operations, seed) : Sequences.all(operations);
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
