package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.persistorder.RecordedRuns;
import io.howdah.crashtest.persistorder.StorePersistOrder;
import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.loc.LocMachine;
import io.howdah.nvmsim.study.loc.LocTrial;
import io.howdah.nvmsim.study.thynvm.Mode;
import io.howdah.nvmsim.study.thynvm.ThyNvmPlan;
import io.howdah.nvmsim.study.thynvm.ThyNvmTrial;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.nvmsim.trace.TraceHeader;
import io.howdah.nvmsim.trace.TraceSink;
import io.howdah.nvmsim.trace.TraceWriter;
import io.howdah.nvmsim.workload.RecordedTransactions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
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
import picocli.CommandLine.Spec;

/** {@code howdah sim store}: Howdah's own store under the simulator. */
@Command(
    name = "store",
    mixinStandardHelpOptions = true,
    description = {
      "Howdah's own store: persist order, and recorded runs.",
      "Examines what a store writes and forces as a persist order: levels under each model, forces that order nothing, and whether what was acknowledged is durable. Then runs recorded transactions under the protocols of LOC and on the systems of ThyNVM. Exit code 1 if an acknowledged commit may be lost or a force orders nothing."
    })
public final class StoreCommand implements Callable<Integer> {
  private static final List<PersistencyModel> MODELS =
      List.of(Models.STRICT, Models.EPOCH, Models.STRAND);

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(
      names = "--quick",
      description = "Only what fits the caches: without the runs on ThyNVM's systems.")
  private boolean quick;

  @Option(
      names = "--export",
      paramLabel = "DIR",
      description =
          "Also write the recorded runs here, as traces for sim persistency, sim loc and sim thynvm.")
  private @Nullable Path export;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public StoreCommand() {}

  @Override
  public Integer call() throws IOException {
    if (export != null) {
      OutFolder.create(spec, export);
    }
    MetricsRun run = MetricsRun.start("sim store").param("quick", quick);
    print("Writes and forces of one partition: levels of the persist order");
    line("%-42s%8s%8s%8s%8s%14s", "run", "forces", "strict", "epoch", "strand", "acknowledged");
    for (StorePersistOrder.Run one : StorePersistOrder.Run.values()) {
      order(one, run);
    }
    print("");
    print("Words that transactions change in place: levels per transaction");
    line("%-42s%8s%8s%8s%8s%14s", "run", "", "strict", "epoch", "strand", "stores");
    for (RecordedRuns.Run one : RecordedRuns.Run.values()) {
      words(one, run);
    }
    for (RecordedRuns.Run one : RecordedRuns.Run.values()) {
      LocTrial trial = new LocTrial(LocMachine.HEADLINE, "recorded " + one.text(), List.of());
      trial.run(one.text(), RecordedTransactions.read(small(one).source(), 1));
      add(run, trial.outcome());
    }
    if (!quick) {
      for (RecordedRuns.Run one : RecordedRuns.Run.values()) {
        ThyNvmTrial trial =
            new ThyNvmTrial(new ThyNvmPlan(List.of(Mode.PAPER), 2048, 4096, 10, 1, 1, true));
        TraceBuffer trace = RecordedRuns.record(one, RecordedRuns.Size.LARGE);
        trial.run(one.text(), RecordedTransactions.read(trace.source(), 1));
        add(run, trial.outcome());
      }
    }
    run.finish().violations().forEach(violation -> print("VIOLATION: " + violation));
    json.write(run);
    return run.exitCode();
  }

  private void order(StorePersistOrder.Run what, MetricsRun run) {
    StorePersistOrder order = StorePersistOrder.of(what);
    PersistDag files = order.under(Models.STRAND);
    long durable =
        files.syncs().stream().filter(sync -> StorePersistOrder.isDurable(files, sync)).count();
    int forces = order.forces().values().stream().mapToInt(Integer::intValue).sum();
    int[] levels =
        MODELS.stream().mapToInt(model -> order.under(model).criticalPathLength()).toArray();
    line(
        "%-42s%8d%8d%8d%8d%14s",
        what.text(), forces, levels[0], levels[1], levels[2], durable + " durable");
    for (int i = 0; i < levels.length; i++) {
      Map<String, Object> params = Map.of("run", what.text(), "model", MODELS.get(i).name());
      run.add(Metric.single("sim.store.levels", "levels", levels[i], params));
    }
    run.add(Metric.single("sim.store.forces", "forces", forces, Map.of("run", what.text())));
    if (durable < files.syncs().size()) {
      run.violation(what.text() + ": a commit was acknowledged that a power cut may take back");
    }
    for (Site force : order.forcesThatOrderNothing()) {
      run.violation(what.text() + ": a force orders nothing: " + force);
    }
  }

  private static TraceBuffer small(RecordedRuns.Run run) {
    return RecordedRuns.record(run, RecordedRuns.Size.SMALL);
  }

  private void words(RecordedRuns.Run what, MetricsRun run) throws IOException {
    TraceBuffer trace = small(what);
    CriticalPathAnalyzer[] analyzers =
        MODELS.stream()
            .map(model -> new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT))
            .toArray(CriticalPathAnalyzer[]::new);
    trace.source().feed((TraceSink[]) analyzers);
    line(
        "%-42s%8s%8.2f%8.2f%8.2f%14.2f",
        what.text(),
        "",
        analyzers[0].result().perOperation(),
        analyzers[1].result().perOperation(),
        analyzers[2].result().perOperation(),
        (double) analyzers[0].result().persistsPerformed() / analyzers[0].result().operations());
    for (CriticalPathAnalyzer analyzer : analyzers) {
      run.add(
          Metric.single(
              "sim.store.levelsPerTransaction",
              "levels",
              analyzer.result().perOperation(),
              Map.of("run", what.text(), "model", analyzer.result().model())));
    }
    if (export != null) {
      Path file = export.resolve(what.text() + ".trace");
      TraceHeader header = new TraceHeader("recorded", 1, true);
      try (TraceWriter writer =
          new TraceWriter(new BufferedOutputStream(Files.newOutputStream(file)), header)) {
        trace.replay(writer);
      }
      print(file + ": " + trace.count() + " events written.");
    }
  }

  private void add(MetricsRun run, StudyOutcome outcome) {
    print("");
    outcome.lines().forEach(this::print);
    outcome.values().forEach(value -> run.add(StudyOutput.metric(value)));
  }

  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be one more dependency
  private void line(String format, Object... numbers) {
    print(String.format(Locale.ROOT, format, numbers));
  }

  private void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }
}
