package io.howdah.cli.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.loc.LogAreaFullException;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.trace.TraceFiles;
import io.howdah.nvmsim.trace.TraceSource;
import io.howdah.nvmsim.workload.RecordedTransactions;
import io.howdah.nvmsim.workload.WorkloadKind;
import io.howdah.nvmsim.workload.WorkloadProvider;
import io.howdah.nvmsim.workload.WorkloadRecording;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah sim loc}: reproduces <i>Loose-Ordering Consistency</i> (ICCD 2014). */
@Command(
    name = "loc",
    header = "Loose-Ordering Consistency (ICCD 2014), or your own trace and machine.",
    mixinStandardHelpOptions = true,
    description = {
      "Reproduces Loose-Ordering Consistency for Persistent Memory (Lu, Shu, Sun, Mutlu, ICCD"
          + " 2014):",
      "Figures 6 to 9 and the write traffic for seven protocols and seven workloads, their"
          + " sensitivity",
      "to banks, caches, transaction size and data size, and crash checks with planted mistakes."
          + " Exit",
      "code 1 if an order that must hold does not, a published mean is missed, or a crash check"
          + " fails.",
      "With --trace, --banks, --latency, --operations, --footprint, --degree or --caches: runs every",
      "protocol on that machine and load instead, with nothing compared with the paper."
    })
public final class LocCommand implements Callable<Integer> {
  private static final int MIN_TRANSACTIONS = 256;
  private static final int MAX_TRANSACTIONS = 200_000;
  private static final int MAX_SEEDS = 100;
  private static final int QUICK_TRANSACTIONS = 1000;

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;
  @Mixin private LocMachine machine;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      description =
          "Only these workloads: btree, hash, rbtree, sps, graph, db, tpcb (default: all). Means"
              + " are compared with the paper's only if its six are among them.")
  private List<String> workloadNames = List.of();

  @Option(
      names = "--transactions",
      paramLabel = "N",
      defaultValue = "4000",
      description = "Transactions per run, 256 to 200000 (default: ${DEFAULT-VALUE}).")
  private int transactions;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Seeds per headline figure, 1 to 100 (default: ${DEFAULT-VALUE}).")
  private int seeds;

  @Option(
      names = "--quick",
      description = "Only the figures themselves, with one seed and fewer transactions.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write figures (SVG, PNG) and all runs (CSV) here.")
  private @Nullable Path out;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public LocCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (machine.isChosen()) {
      return trial();
    }
    LocStudy study = checkedStudy();
    if (out != null) {
      OutFolder.create(spec, out);
    }
    PrintWriter print = spec.commandLine().getOut();
    MetricsRun run =
        MetricsRun.start("sim loc")
            .param("transactions", quick ? QUICK_TRANSACTIONS : transactions)
            .param("operationsPerTransaction", LocVariant.OPERATIONS)
            .param("banks", DeviceTiming.LOC_BANKS)
            .param("warmUpOperations", WorkloadKind.WARM_UP_OPERATIONS)
            .param("seeds", quick ? 1 : seeds)
            .param("quick", quick);
    Progress progress = new Progress(spec.commandLine().getErr());
    LocCells cells = study.run(progress);
    LocGates gates = LocGates.check(cells, study.variants());
    gates.violations().forEach(run::violation);
    LocReport report = new LocReport(cells, study.variants(), print);
    report.figures();
    report.ratios();
    report.latencies();
    report.devices(study.devices());
    report.costs();
    report.traffic();
    if (!quick) {
      report.calibration();
    }
    report.sensitivity();
    report.gates(gates);
    LocMetrics.add(run, cells, study);
    new LocCuts(quick, cells.workloads(), print).run(run, progress);
    progress.end();
    print.println();
    print.println(
        String.format(
            Locale.ROOT,
            "%d runs, %.1f M memory instructions per second and core",
            study.runs(),
            study.memoryInstructionsPerSec() / 1e6));
    if (out != null) {
      LocFigures.write(out, cells, study.variants());
      LocCsv.write(out, cells);
      print.println("Figures and all runs are in " + out + ".");
    }
    for (String violation : run.finish().violations()) {
      print.println("VIOLATION: " + violation);
    }
    print.flush();
    json.write(run);
    return run.exitCode();
  }

  private int trial() throws IOException {
    List<WorkloadKind> workloads;
    List<WorkloadProvider> own;
    try {
      machine.check(!workloadNames.isEmpty());
      own = machine.ownWorkloads();
      workloads = own.isEmpty() || !workloadNames.isEmpty() ? checkedWorkloads() : List.of();
    } catch (IllegalArgumentException | IOException | ServiceConfigurationError e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    PrintWriter print = spec.commandLine().getOut();
    MetricsRun run = MetricsRun.start("sim loc");
    machine.params().forEach(run::param);
    LocTrial trial = new LocTrial(machine, run, print);
    Path file = machine.trace;
    try {
      if (file != null) {
        try (TraceSource source = TraceFiles.open(file)) {
          trial.run("trace", RecordedTransactions.read(source, machine.operations()));
        }
      } else {
        int count = quick ? QUICK_TRANSACTIONS : transactions;
        for (WorkloadProvider workload : own) {
          trial.run(
              workload.name(),
              WorkloadRecording.record(
                  workload, count, machine.operations(), machine.footprint(), 1));
        }
        for (WorkloadKind workload : workloads) {
          trial.run(
              workload.text(), workload.trace(count, machine.operations(), machine.footprint(), 1));
        }
      }
    } catch (IOException | IllegalArgumentException | LogAreaFullException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    trial.print();
    if (out != null) {
      trial.writeCsv(out);
      print.println("All runs are in " + out.resolve("loc-trial.csv") + ".");
    }
    run.finish();
    print.flush();
    json.write(run);
    return run.exitCode();
  }

  private List<WorkloadKind> checkedWorkloads() {
    check("--transactions", transactions, MIN_TRANSACTIONS, MAX_TRANSACTIONS);
    check("--seeds", seeds, 1, MAX_SEEDS);
    Set<WorkloadKind> workloads = EnumSet.noneOf(WorkloadKind.class);
    workloadNames.forEach(name -> workloads.add(WorkloadKind.of(name)));
    return workloads.isEmpty() ? List.of(WorkloadKind.values()) : List.copyOf(workloads);
  }

  private LocStudy checkedStudy() {
    try {
      List<WorkloadKind> workloads = checkedWorkloads();
      if (workloads.equals(List.of(WorkloadKind.TPCB))) {
        throw new IllegalArgumentException("--workload needs one of the paper's, for the mean");
      }
      return new LocStudy(
          workloads, quick ? QUICK_TRANSACTIONS : transactions, quick ? 1 : seeds, quick);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private static void check(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          option + " must be " + least + " to " + most + ": " + value);
    }
  }
}
