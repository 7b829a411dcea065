package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.log.StandardErrorLog;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.crashtest.workload.FaultSweep;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
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

/** {@code howdah test faults}: each call of the storage fails, in every way. */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    description =
        "Runs short workloads in which each call of the storage fails, once or from then on, with"
            + " each kind of error. The store must go on or say that it has stopped, and after a"
            + " kill or a power cut the next opening must have what was acknowledged.")
public final class FaultsCommand implements Callable<Integer> {

  @Option(
      names = "--workload",
      paramLabel = "STEPS",
      description = "Only this workload, its operations with commas between; may be repeated.")
  private List<String> workloads = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of disks and schedules; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "600",
      description = "No fault is begun after this time; default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--every",
      paramLabel = "N",
      defaultValue = "1",
      description = "Only every Nth fault; default: all.")
  private long every;

  @Option(
      names = "--fault",
      paramLabel = "N",
      description = "With one --workload: only this fault, as a finding names it.")
  private @Nullable Long only;

  @Option(
      names = "--resume",
      paramLabel = "FILE",
      description = "Keep in FILE which faults are done, and go on with the next one.")
  private @Nullable Path resume;

  @Option(names = "--list", description = "Only name the workloads.")
  private boolean list;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  private final Map<FaultSweep.Outcome, Long> outcomes = new EnumMap<>(FaultSweep.Outcome.class);

  /** Creates it, for the command line. */
  public FaultsCommand() {}

  @Override
  public Integer call() throws Exception {
    // Stores stop here on purpose, and each would say so.
    StandardErrorLog.setLevel(System.Logger.Level.OFF);
    PrintWriter out = spec.commandLine().getOut();
    List<String> chosen = workloads.isEmpty() ? FaultSweep.workloads() : workloads;
    if (list) {
      chosen.forEach(out::println);
      out.flush();
      return 0;
    }
    if (!(seconds > 0) || every < 1 || (only != null && chosen.size() != 1)) {
      throw new ParameterException(
          spec.commandLine(),
          "--seconds and --every must be above 0, and --fault needs one --workload");
    }
    MetricsRun run = MetricsRun.start("test faults").param("seed", seed).param("every", every);
    sweep(chosen, run, out);
    long calls = outcomes.values().stream().mapToLong(Long::longValue).sum();
    run.add(Metric.single("faults.calls", "count", (double) calls, Map.of()));
    for (Map.Entry<FaultSweep.Outcome, Long> entry : outcomes.entrySet()) {
      String outcome = entry.getKey().name().toLowerCase(Locale.ROOT);
      run.add(
          Metric.single(
              "faults.outcomes", "count", (double) entry.getValue(), Map.of("outcome", outcome)));
    }
    run.add(
        Metric.single("faults.violations", "count", run.finish().violations().size(), Map.of()));
    out.printf(
        "%,d faults: %s, %d violations%n", calls, outcomes, run.finish().violations().size());
    out.flush();
    json.write(run);
    return run.exitCode();
  }

  private void sweep(List<String> chosen, MetricsRun run, PrintWriter out) throws IOException {
    StatusLine status = new StatusLine(out);
    long deadline = System.nanoTime() + (long) (seconds * 1e9);
    ResumeFile done = new ResumeFile(resume, "faults seed " + seed + " every " + every + chosen);
    long part = 0;
    for (String workload : chosen) {
      FaultSweep sweep = open(workload);
      long begun = 0;
      long skipped = 0;
      for (long fault = only == null ? 0 : only; fault < sweep.count(); fault += every) {
        if (part < done.next()) {
          part++;
          continue;
        }
        if (System.nanoTime() - deadline >= 0) {
          skipped++;
          continue;
        }
        status.show(workload + ": " + sweep.describe(fault), (double) fault / sweep.count());
        try {
          outcomes.merge(sweep.run(fault), 1L, Long::sum);
        } catch (Violation violation) {
          status.clear();
          out.println(violation.getMessage());
          run.violation(violation.toString());
        }
        begun++;
        done.done(part++);
        if (only != null) {
          break;
        }
      }
      status.clear();
      out.printf("%-32s %,6d faults%s%n", workload, begun, skipped(skipped));
      out.flush();
    }
  }

  private static String skipped(long count) {
    return count == 0 ? "" : ", skipped %,d: no time left".formatted(count);
  }

  private FaultSweep open(String workload) {
    try {
      return new FaultSweep(seed, workload);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
