package io.howdah.cli.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.record.InterleavingCheck;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.study.persistency.ExactRows;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah sim persistency}: reproduces <i>Memory Persistency</i> (ISCA 2014). */
@Command(
    name = "persistency",
    header = "Memory Persistency (ISCA 2014), or your own trace and model.",
    mixinStandardHelpOptions = true,
    description = {
      "Reproduces Memory Persistency (Pelley, Chen, Wenisch, ISCA 2014): Table 1 and Figures 1 to 5,",
      "with the paper's instruction rates and with this host's, and lists where the paper disagrees",
      "with itself. Exit code 1 if a critical path that must be exact is not."
    })
public final class PersistencyCommand implements Callable<Integer> {
  private static final int INTERLEAVING_INSERTS = 5000;
  private static final int INTERLEAVING_ROUNDS = 16;
  private static final double SAME_DISTRIBUTION = 0.01;

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(
      names = "--threads",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,8",
      description = "Inserting threads, 1 to 64, several with commas (default: ${DEFAULT-VALUE}).")
  private List<Integer> threads;

  @Option(
      names = "--inserts",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Inserts per run, of all threads together (default: ${DEFAULT-VALUE}).")
  private long inserts;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of the random schedules (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--policy",
      defaultValue = "round_robin",
      description =
          "Schedule: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Round robin is threads of"
              + " equal speed, as on as many processors; exact rows are checked under it only.")
  private SchedulePolicyName policy;

  @Option(
      names = "--model",
      split = ",",
      paramLabel = "MODEL",
      description = {
        "Only these models: strict, buffered-strict, epoch, racing, strand, bpfs, or a model of",
        "--model-path (default: all)."
      })
  private List<String> models = List.of();

  @Option(
      names = "--model-path",
      paramLabel = "PATH",
      description = {
        "Jar or folder with models of your own, named in",
        "META-INF/services/io.howdah.nvmsim.persistency.PersistencyModel."
      })
  private @Nullable Path modelPath;

  @Option(
      names = "--persist-granularity",
      split = ",",
      paramLabel = "BYTES",
      defaultValue = "8,16,32,64,128,256",
      description = "Atomic persist sizes of Figure 4 (default: ${DEFAULT-VALUE}).")
  private List<Integer> persistGranularities;

  @Option(
      names = "--tracking-granularity",
      split = ",",
      paramLabel = "BYTES",
      defaultValue = "8,16,32,64,128,256",
      description = "Conflict tracking sizes of Figure 5 (default: ${DEFAULT-VALUE}).")
  private List<Integer> trackingGranularities;

  @Option(
      names = "--native-inserts",
      paramLabel = "N",
      defaultValue = "2000000",
      description =
          "Most inserts per sample of this host's instruction rate, 0 to skip what depends on the"
              + " host (default: ${DEFAULT-VALUE}; a sample takes about a third of a second).")
  private long nativeInserts;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write figures (SVG, PNG), tables (CSV) and persist DAGs (DOT, GraphML) here.")
  private @Nullable Path out;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = {
        "Analyse this recorded trace instead: binary, or the text of the published tracer. Prints the",
        "critical path under each model."
      })
  private @Nullable Path trace;

  @Option(
      names = "--export",
      paramLabel = "FILE",
      description = {
        "Write the trace of Copy While Locked with the first number of threads, the inserts, policy",
        "and seed here, and stop: text if the name ends in .txt, else binary. With --trace: convert",
        "that trace."
      })
  private @Nullable Path export;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public PersistencyCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PersistencyStudy study = checkedStudy();
    PrintWriter print = spec.commandLine().getOut();
    MetricsRun run =
        MetricsRun.start("sim persistency")
            .param("inserts", inserts)
            .param("seed", seed)
            .param("policy", policy.text());
    if (trace != null || export != null) {
      return ownTrace(study, run, print);
    }
    if (out != null) {
      OutFolder.create(spec, out);
    }
    Progress progress = new Progress(spec.commandLine().getErr());
    List<Cell> cells = study.run(progress);
    progress.end();
    if (policy == SchedulePolicyName.ROUND_ROBIN) {
      cells.forEach(cell -> ExactRows.check(cell).ifPresent(run::violation));
    }
    HostRates host = HostRates.measure(threads, nativeInserts, progress);
    PersistencyReport report = new PersistencyReport(cells, host, print);
    List<Cell> random = study.randomSchedules(progress);
    report.table1(random);
    report.figure3();
    report.sweeps();
    report.variants();
    report.schedules(random);
    report.litmus();
    report.races();
    report.barriers();
    report.discrepancies();
    if (nativeInserts > 0) {
      interleaving(report, run);
      AnalyserSpeed.measure(study.analysedModels(), progress).forEach(speed -> speed.add(run));
    }
    PersistencyMetrics.add(run, cells, host);
    report.speeds(run);
    if (out != null) {
      PersistencyFigures.write(out, cells);
      PersistencyCsv.write(out, cells, host);
      print.println();
      print.println("Figures, tables and persist DAGs are in " + out + ".");
    }
    for (String violation : run.finish().violations()) {
      print.println("VIOLATION: " + violation);
    }
    print.flush();
    json.write(run);
    return run.exitCode();
  }

  private int ownTrace(PersistencyStudy study, MetricsRun run, PrintWriter print) {
    try {
      if (trace != null && !Files.isRegularFile(trace)) {
        throw new IllegalArgumentException("--trace is no file: " + trace);
      }
      if (export != null) {
        long events = TraceExport.write(export, trace, threads.getFirst(), inserts, policy, seed);
        print.println(export + ": " + events + " events written.");
      } else if (trace != null) {
        TraceAnalysis.run(trace, study.analysedModels(), run, print);
      }
      run.finish();
      print.flush();
      json.write(run);
      return run.exitCode();
    } catch (IOException | IllegalArgumentException | UncheckedIOException e) {
      throw new ParameterException(spec.commandLine(), message(e));
    }
  }

  private static String message(Exception failure) {
    return failure instanceof NoSuchFileException missing
        ? "no such file or folder: " + missing.getFile()
        : String.valueOf(failure.getMessage());
  }

  private void interleaving(PersistencyReport report, MetricsRun run) throws InterruptedException {
    InterleavingCheck check =
        InterleavingCheck.run(QueueSpec.cwl(), 2, INTERLEAVING_INSERTS, INTERLEAVING_ROUNDS);
    report.interleaving(check, SAME_DISTRIBUTION);
    PersistencyMetrics.addInterleaving(run, check);
  }

  private PersistencyStudy checkedStudy() {
    try {
      for (int count : threads) {
        if (count < 1 || count > DeterministicScheduler.MAX_THREADS) {
          throw new IllegalArgumentException(
              "--threads must be 1 to " + DeterministicScheduler.MAX_THREADS + ": " + count);
        }
      }
      if (inserts < 1 || nativeInserts < 0) {
        throw new IllegalArgumentException(
            "--inserts must be at least 1 and --native-inserts not negative: "
                + inserts
                + ", "
                + nativeInserts);
      }
      persistGranularities.forEach(p -> AnalysisOptions.DEFAULT.withGranularity(p, 8));
      trackingGranularities.forEach(g -> AnalysisOptions.DEFAULT.withGranularity(8, g));
      return new PersistencyStudy(
          threads,
          inserts,
          seed,
          policy,
          models,
          modelLoader(),
          persistGranularities,
          trackingGranularities);
    } catch (IllegalArgumentException | IOException | ServiceConfigurationError e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  /** Stays open: the models' classes may be needed until the JVM ends. */
  private ClassLoader modelLoader() throws IOException {
    ClassLoader own = PersistencyCommand.class.getClassLoader();
    if (modelPath == null) {
      return own;
    }
    if (!Files.exists(modelPath)) {
      throw new IllegalArgumentException("--model-path does not exist: " + modelPath);
    }
    return new URLClassLoader(new URL[] {modelPath.toUri().toURL()}, own);
  }
}
