package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.nvmsim.loc.LogAreaFullException;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.loc.TransactionTooLargeException;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.loc.LocMachine;
import io.howdah.nvmsim.study.loc.LocPlan;
import io.howdah.nvmsim.study.loc.LocStudy;
import io.howdah.nvmsim.study.loc.LocTrial;
import io.howdah.nvmsim.trace.TraceFiles;
import io.howdah.nvmsim.trace.TraceSource;
import io.howdah.nvmsim.workload.RecordedTransactions;
import io.howdah.nvmsim.workload.WorkloadKind;
import io.howdah.nvmsim.workload.WorkloadProvider;
import io.howdah.nvmsim.workload.WorkloadRecording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
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
    mixinStandardHelpOptions = true,
    description = {
      "Loose-Ordering Consistency (ICCD 2014), or your own trace and machine.",
      "Reproduces Loose-Ordering Consistency for Persistent Memory (Lu, Shu, Sun, Mutlu, ICCD 2014): Figures 6 to 9 and the write traffic for seven protocols and seven workloads, their sensitivity to banks, caches, transaction size and data size, and power cuts in the middle of each protocol. Exit code 1 if an order that must hold does not, a published mean is missed, or a crash check fails.",
      "With --trace, --workload-path, --protocol-path, --banks, --latency, --operations, --footprint, --degree or --caches: runs every protocol on that machine and load instead, with nothing compared with the paper."
    })
public final class LocCommand implements Callable<Integer> {
  private static final int QUICK_TRANSACTIONS = 1000;

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;
  @Mixin private LocMachineOptions machine;

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
    LocPlan plan = checked(this::plan);
    if (out != null) {
      OutFolder.create(spec, out);
    }
    MetricsRun run =
        MetricsRun.start("sim loc")
            .param("transactions", plan.transactions())
            .param("operationsPerTransaction", LocMachine.HEADLINE.operations())
            .param("banks", LocMachine.HEADLINE.banks())
            .param("warmUpOperations", WorkloadKind.WARM_UP_OPERATIONS)
            .param("seeds", plan.seeds())
            .param("quick", quick);
    StatusLine progress = new StatusLine(spec.commandLine().getErr());
    StudyOutcome outcome = LocStudy.run(plan, progress::show);
    progress.clear();
    return StudyOutput.write(spec, run, outcome, out, "Figures and all runs", json);
  }

  private int trial() throws IOException {
    boolean named = !workloadNames.isEmpty();
    LocMachine chosen = checked(() -> machine.machine(named));
    List<WorkloadProvider> own = checked(machine::ownWorkloads);
    List<ProtocolProvider> protocols = checked(machine::ownProtocols);
    List<WorkloadKind> workloads = own.isEmpty() || named ? checked(this::workloads) : List.of();
    checked(
        () -> {
          LocPlan.checkTransactions(transactions);
          return transactions;
        });
    MetricsRun run = MetricsRun.start("sim loc");
    chosen.params().forEach(run::param);
    StudyOutcome outcome = checked(() -> trial(chosen, protocols, own, workloads));
    return StudyOutput.write(spec, run, outcome, out, "All runs (loc-trial.csv)", json);
  }

  private StudyOutcome trial(
      LocMachine chosen,
      List<ProtocolProvider> protocols,
      List<WorkloadProvider> own,
      List<WorkloadKind> workloads)
      throws IOException {
    Path file = machine.trace;
    if (file != null) {
      LocTrial trial = new LocTrial(chosen, "trace " + file, protocols);
      try (TraceSource source = TraceFiles.open(file)) {
        trial.run("trace", RecordedTransactions.read(source, chosen.operations()));
      }
      return trial.outcome();
    }
    LocTrial trial = new LocTrial(chosen, "data of " + 768 * chosen.footprint() + " KB", protocols);
    int count = quick ? QUICK_TRANSACTIONS : transactions;
    for (WorkloadProvider workload : own) {
      trial.run(
          workload.name(),
          WorkloadRecording.record(workload, count, chosen.operations(), chosen.footprint(), 1));
    }
    for (WorkloadKind workload : workloads) {
      trial.run(workload.text(), workload.trace(count, chosen.operations(), chosen.footprint(), 1));
    }
    return trial.outcome();
  }

  private LocPlan plan() {
    LocPlan.checkTransactions(transactions);
    LocPlan.checkSeeds(seeds);
    return new LocPlan(
        workloads(), quick ? QUICK_TRANSACTIONS : transactions, quick ? 1 : seeds, quick);
  }

  private List<WorkloadKind> workloads() {
    Set<WorkloadKind> workloads = EnumSet.noneOf(WorkloadKind.class);
    workloadNames.forEach(name -> workloads.add(WorkloadKind.of(name)));
    return workloads.isEmpty() ? List.of(WorkloadKind.values()) : List.copyOf(workloads);
  }

  /** What the caller named; that it cannot be is the caller's mistake. */
  private <T> T checked(Callable<T> named) throws IOException {
    try {
      return named.call();
    } catch (IllegalArgumentException
        | IOException
        | LogAreaFullException
        | TransactionTooLargeException
        | ServiceConfigurationError e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
