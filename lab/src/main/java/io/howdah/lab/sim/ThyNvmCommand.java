package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.thynvm.EmulatorStudy;
import io.howdah.nvmsim.study.thynvm.Mode;
import io.howdah.nvmsim.study.thynvm.ThyNvmPlan;
import io.howdah.nvmsim.study.thynvm.ThyNvmStudy;
import io.howdah.nvmsim.study.thynvm.ThyNvmTrial;
import io.howdah.nvmsim.trace.TraceFiles;
import io.howdah.nvmsim.trace.TraceSource;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.RecordedTransactions;
import io.howdah.nvmsim.workload.WorkloadProvider;
import io.howdah.nvmsim.workload.WorkloadRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah sim thynvm}: reproduces <i>ThyNVM</i> (MICRO 2015). */
@Command(
    name = "thynvm",
    mixinStandardHelpOptions = true,
    description = {
      "ThyNVM (MICRO 2015).",
      "Reproduces ThyNVM: Enabling Software-Transparent Crash Consistency in Persistent Memory"
          + " Systems (Ren, Zhao, Khan, Choi, Wu, Mutlu, MICRO 2015): Figures 7 to 12, ablations,"
          + " counts of the authors' controller, and crash checks. Exit code 1 if a count differs"
          + " or a crash check fails; what misses a published value is reported."
    })
public final class ThyNvmCommand implements Callable<Integer> {
  private static final int PAGE_BYTES = 4096;
  private static final int MEGABYTE = 1 << 20;
  private static final int OWN_TRANSACTIONS = 20_000;

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "paper",
      description =
          "paper: the text. artifact: the authors' program. both: one after the other (default:"
              + " ${DEFAULT-VALUE}).")
  private String mode;

  @Option(
      names = "--btt",
      paramLabel = "N",
      defaultValue = "2048",
      description = "Entries of the block table, 16 to 1048576 (default: ${DEFAULT-VALUE}).")
  private int btt;

  @Option(
      names = "--ptt",
      paramLabel = "N",
      description =
          "Entries of the page table, 16 to 262144: one per page of DRAM (default: 4096).")
  private @Nullable Integer ptt;

  @Option(
      names = "--dram",
      paramLabel = "MB",
      description = "DRAM in MB, instead of --ptt (default: 16).")
  private @Nullable Integer dram;

  @Option(
      names = "--epoch-ms",
      paramLabel = "MS",
      defaultValue = "10",
      description =
          "Longest epoch of mode paper, 0.01 to 10000 ms: what a power failure may lose (default:"
              + " ${DEFAULT-VALUE}).")
  private double epochMs;

  @Option(
      names = "--scale",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Length of the micro-benchmarks, 1 to 4; 3 is the paper's (default: ${DEFAULT-VALUE}).")
  private int scale;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of every random number (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description =
          "pmep: instead of all that, key-value stores with undo and redo logs on the emulated"
              + " memory of pmemcached (loads 300 ns, barriers 100 ns).")
  private @Nullable String preset;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Run this recorded trace on the five systems instead: binary, the text of the published"
              + " tracer, or the output of valgrind's lackey or pmemcheck. It is repeated until it"
              + " has lasted five of the longest epochs, or for 50 million accesses; a warning says"
              + " if it is shorter.")
  private @Nullable Path trace;

  @Option(
      names = "--workload-path",
      paramLabel = "PATH",
      description =
          "Jar or folder with workloads of your own, named in"
              + " META-INF/services/io.howdah.nvmsim.workload.WorkloadProvider: runs them on the"
              + " five systems instead, "
              + OWN_TRANSACTIONS
              + " operations each.")
  private @Nullable Path workloadPath;

  @Option(
      names = "--thresholds",
      description =
          "Sweep the threshold at which a page goes to the page scheme instead, on the"
              + " micro-benchmarks, on --trace or on --workload-path, with the paper's costs and"
              + " with those of software.")
  private boolean thresholds;

  @Option(
      names = "--quick",
      description = "One request size, no sweep, no ablations, fewer crash checks.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write figures (SVG, PNG) and all values (CSV) here.")
  private @Nullable Path out;

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public ThyNvmCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    ThyNvmPlan plan = checkedPlan();
    if (preset != null) {
      return emulate();
    }
    if (trace != null || workloadPath != null || thresholds) {
      return trial(plan);
    }
    if (out != null) {
      OutFolder.create(spec, out);
    }
    MetricsRun run =
        MetricsRun.start("sim thynvm")
            .param("mode", mode)
            .param("btt", plan.blockEntries())
            .param("ptt", plan.dramPages())
            .param("epochMs", epochMs)
            .param("scale", scale)
            .param("seed", seed)
            .param("quick", quick);
    StatusLine progress = new StatusLine(spec.commandLine().getErr());
    StudyOutcome outcome = ThyNvmStudy.run(plan, progress::show);
    progress.clear();
    return StudyOutput.write(spec, run, outcome, out, "Figures and all values", json);
  }

  private int trial(ThyNvmPlan plan) throws IOException {
    MetricsRun run =
        MetricsRun.start("sim thynvm")
            .param("btt", plan.blockEntries())
            .param("ptt", plan.dramPages())
            .param("epochMs", epochMs)
            .param("scale", scale)
            .param("seed", seed)
            .param("thresholds", thresholds);
    ThyNvmTrial trial = new ThyNvmTrial(plan);
    Map<String, AccessTrace> recorded = recorded();
    try {
      for (Map.Entry<String, AccessTrace> program : recorded.entrySet()) {
        if (thresholds) {
          trial.sweep(program.getKey(), program.getValue());
        } else {
          trial.run(program.getKey(), program.getValue());
        }
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    if (recorded.isEmpty()) {
      trial.sweepPatterns();
    }
    return StudyOutput.write(spec, run, trial.outcome(), null, "", json);
  }

  /** What the caller named, if anything; that it cannot be read is the caller's mistake. */
  private Map<String, AccessTrace> recorded() {
    Map<String, AccessTrace> recorded = new LinkedHashMap<>();
    try {
      if (trace != null) {
        try (TraceSource source = TraceFiles.open(trace)) {
          recorded.put("trace", RecordedTransactions.read(source, 1));
        }
      } else if (workloadPath != null) {
        for (WorkloadProvider workload :
            OwnClasses.services("--workload-path", workloadPath, WorkloadProvider.class)) {
          recorded.put(
              workload.name(), WorkloadRecording.record(workload, OWN_TRANSACTIONS, 1, 1, seed));
        }
      }
    } catch (IllegalArgumentException | IOException | ServiceConfigurationError e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    return recorded;
  }

  private int emulate() throws IOException {
    MetricsRun run = MetricsRun.start("sim thynvm").param("preset", "pmep").param("seed", seed);
    return StudyOutput.write(spec, run, EmulatorStudy.run(seed), null, "", json);
  }

  /** What is not of the study has no modes and no figures. */
  private void checkTrial() {
    boolean own = trace != null || workloadPath != null;
    if (trace != null && !Files.isRegularFile(trace)) {
      throw new IllegalArgumentException("--trace is no file: " + trace);
    }
    if (trace != null && workloadPath != null) {
      throw new IllegalArgumentException("--trace and --workload-path exclude each other");
    }
    if (preset != null && (own || thresholds)) {
      throw new IllegalArgumentException(
          "--preset is an experiment of its own: leave out --trace, --workload-path and"
              + " --thresholds");
    }
    if ((own || thresholds || preset != null) && (out != null || !mode.equals("paper"))) {
      throw new IllegalArgumentException(
          "--trace, --workload-path, --thresholds and --preset draw no figures and follow the"
              + " paper: leave out --out and --mode");
    }
  }

  private ThyNvmPlan checkedPlan() {
    try {
      if (preset != null && !preset.equals("pmep")) {
        throw new IllegalArgumentException("--preset must be pmep: " + preset);
      }
      if (ptt != null && dram != null) {
        throw new IllegalArgumentException("--ptt and --dram say the same; give one of them");
      }
      if (dram != null && (dram < 1 || dram > 1024)) {
        throw new IllegalArgumentException("--dram must be 1 to 1024 MB: " + dram);
      }
      checkTrial();
      int pages = 16 * MEGABYTE / PAGE_BYTES;
      if (dram != null) {
        pages = dram * (MEGABYTE / PAGE_BYTES);
      } else if (ptt != null) {
        pages = ptt;
      }
      List<Mode> modes =
          mode.equals("both") ? List.of(Mode.PAPER, Mode.ARTIFACT) : List.of(Mode.of(mode));
      return new ThyNvmPlan(modes, btt, pages, epochMs, scale, seed, quick);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }
}
