package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.persistency.PersistencyPlan;
import io.howdah.nvmsim.study.persistency.PersistencyStudy;
import io.howdah.nvmsim.study.persistency.ScheduleKind;
import io.howdah.nvmsim.study.persistency.TraceAnalysis;
import io.howdah.nvmsim.study.persistency.TraceExport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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
    mixinStandardHelpOptions = true,
    description = {
      "Memory Persistency (ISCA 2014), or your own trace and model.",
      "Reproduces Memory Persistency (Pelley, Chen, Wenisch, ISCA 2014): Table 1 and Figures 1 to 5, with the paper's instruction rates and with this host's, and lists where the paper disagrees with itself. Exit code 1 if a critical path that must be exact is not."
    })
public final class PersistencyCommand implements Callable<Integer> {
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
      paramLabel = "POLICY",
      defaultValue = "random",
      description =
          "Schedule: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Several seeds share the"
              + " inserts and give a band. Round robin takes one event of each thread in turn.")
  private ScheduleKind policy;

  @Option(
      names = "--model",
      split = ",",
      paramLabel = "MODEL",
      description =
          "Only these models: strict, buffered-strict, epoch, racing, strand, bpfs, or a model of --model-path (default: all).")
  private List<String> models = List.of();

  @Option(
      names = "--model-path",
      paramLabel = "PATH",
      description =
          "Jar or folder with models of your own, named in META-INF/services/io.howdah.nvmsim.persistency.PersistencyModel.")
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
      description =
          "Analyse this recorded trace instead: binary, the text of the published tracer, or the output of valgrind's lackey or pmemcheck. Prints the critical path under each model.")
  private @Nullable Path trace;

  @Option(
      names = "--export",
      paramLabel = "FILE",
      description =
          "Write the trace of Copy While Locked with the first number of threads, the inserts, policy and seed here, and stop: text if the name ends in .txt, else binary. With --trace: convert that trace.")
  private @Nullable Path export;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public PersistencyCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PersistencyStudy study = checkedStudy();
    MetricsRun run =
        MetricsRun.start("sim persistency")
            .param("inserts", inserts)
            .param("seed", seed)
            .param("policy", policy.text());
    if (trace != null || export != null) {
      return ownTrace(study, run);
    }
    if (out != null) {
      OutFolder.create(spec, out);
    }
    StatusLine progress = new StatusLine(spec.commandLine().getErr());
    StudyOutcome outcome = study.run(progress::show);
    progress.clear();
    return StudyOutput.write(spec, run, outcome, out, "Figures, tables and persist DAGs", json);
  }

  private int ownTrace(PersistencyStudy study, MetricsRun run) {
    try {
      if (trace != null && !Files.isRegularFile(trace)) {
        throw new IllegalArgumentException("--trace is no file: " + trace);
      }
      if (export != null) {
        long events = TraceExport.write(export, trace, threads.getFirst(), inserts, policy, seed);
        spec.commandLine().getOut().println(export + ": " + events + " events written.");
        spec.commandLine().getOut().flush();
        json.write(run);
        return run.exitCode();
      }
      StudyOutcome outcome = TraceAnalysis.run(Objects.requireNonNull(trace), study.models());
      return StudyOutput.write(spec, run, outcome, null, "", json);
    } catch (IOException | IllegalArgumentException | UncheckedIOException e) {
      throw new ParameterException(spec.commandLine(), message(e));
    }
  }

  private static String message(Exception failure) {
    return failure instanceof NoSuchFileException missing
        ? "no such file or folder: " + missing.getFile()
        : String.valueOf(failure.getMessage());
  }

  private PersistencyStudy checkedStudy() {
    try {
      return new PersistencyStudy(
          new PersistencyPlan(
              threads,
              inserts,
              seed,
              policy,
              models,
              modelPath == null
                  ? PersistencyCommand.class.getClassLoader()
                  : OwnClasses.loader("--model-path", modelPath),
              persistGranularities,
              trackingGranularities,
              nativeInserts));
    } catch (IllegalArgumentException | IOException | ServiceConfigurationError e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }
}
