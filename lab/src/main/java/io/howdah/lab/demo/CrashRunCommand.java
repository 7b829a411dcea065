package io.howdah.lab.demo;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.log.StandardErrorLog;
import io.howdah.cli.terminal.Screen;
import io.howdah.core.Backing;
import io.howdah.crashtest.kill.CrashRun;
import io.howdah.crashtest.kill.CrashRunOptions;
import io.howdah.crashtest.kill.Death;
import io.howdah.crashtest.kill.Sabotage;
import io.howdah.lab.run.RunFolder;
import io.howdah.process.EarlyEnd;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command around a {@link CrashRun}. */
public abstract class CrashRunCommand implements Callable<Integer> {

  /** The new store, its rings and what is not proportional to time. */
  private static final long BASE_BYTES = 300_000_000;

  /** Redo records of small transactions, a little more than two cores were seen to write. */
  private static final long BYTES_PER_SECOND = 150_000_000;

  /** What recovery does not trim away: the logs of the generations it may still need. */
  private static final long MAX_BYTES = 6_000_000_000L;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads that move people (${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the transfers and of the moments of the kills; random if not given.")
  private @Nullable Long seed;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder for the store, absent or empty; it stays. Without it one is made and removed.")
  private @Nullable Path dir;

  @Option(
      names = "--sabotage",
      paramLabel = "WHAT",
      defaultValue = "NONE",
      description =
          "Spoil the store after each kill, to see the run fail: ${COMPLETION-CANDIDATES}"
              + " (${DEFAULT-VALUE}).")
  private Sabotage sabotage;

  @Option(
      names = "--backing",
      paramLabel = "BACKING",
      defaultValue = "MAPPED",
      description =
          "How data comes into memory: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}). With SHARED the"
              + " memory outlives each kill.")
  private Backing backing;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For subclasses. */
  protected CrashRunCommand() {}

  /** Returns the first line a person sees. */
  protected abstract String title();

  /** Returns the name without options. */
  protected abstract String commandName();

  /** Returns how often to kill, or throws {@link #usage}. */
  protected abstract int kills();

  /** Returns how long transfers run, all children together, or throws {@link #usage}. */
  protected abstract Duration running();

  /** Returns what the children do, in turn, or throws {@link #usage}. */
  protected abstract List<String> plans();

  /**
   * Where a run's store lies, and what ends its processes.
   *
   * @param store folder of the store
   * @param death what ends them
   */
  public record Scene(Path store, Death death) {}

  /** Judges a run in a scene, in which nothing has been yet. */
  protected interface Runner {

    /** Runs to the end, or to the first violation. */
    CrashRun.Report run(Scene scene, int kills, Sabotage sabotage)
        throws IOException, InterruptedException;
  }

  /**
   * Runs the campaign.
   *
   * @param folder for files; absent
   * @return what came out; empty if it cannot run here, which the command has said then
   */
  protected Optional<CrashRun.Report> campaign(
      Path folder, Runner runner, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    return Optional.of(runner.run(new Scene(folder, Death.KILL), kills(), sabotage));
  }

  /** Returns what is spoiled on purpose. */
  protected final Sabotage sabotage() {
    return sabotage;
  }

  /** Adds the figures of a run. */
  protected abstract void addMetrics(CrashSummary summary, MetricsRun metrics);

  @Override
  public final Integer call() throws Exception {
    int chosenThreads = threads();
    int chosenKills = kills();
    long chosenSeed = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
    double seconds = running().toNanos() / 1e9;
    long neededBytes = (long) Math.min(BASE_BYTES + BYTES_PER_SECOND * seconds, MAX_BYTES);
    // A recovery after a kill, told at INFO, is what each row of the table is about.
    StandardErrorLog.setLevel(System.Logger.Level.WARNING);
    MetricsRun metrics = MetricsRun.start(commandName());
    Screen screen = Screen.of(spec.commandLine());
    try (RunFolder folder = RunFolder.choose(dir, neededBytes, spec);
        EarlyEnd early = new EarlyEnd()) {
      screen.line("");
      screen.line("  @|bold " + title() + "|@");
      screen.line(
          "  @|faint seed %d, %d threads, store in %s|@"
              .formatted(chosenSeed, chosenThreads, folder.path()));
      metrics.param("seed", chosenSeed).param("threads", chosenThreads).param("kills", chosenKills);
      Runner runner =
          (scene, kills, spoiled) -> {
            Duration running = running().dividedBy(chosenKills).multipliedBy(kills);
            CrashRunOptions options =
                new CrashRunOptions(
                    scene.store(),
                    CrashRunOptions.ALL_CITIES,
                    chosenSeed,
                    chosenThreads,
                    kills,
                    running,
                    plans(),
                    spoiled,
                    scene.death(),
                    backing);
            return new CrashRun(options, new CrashRunPrinter(screen, kills), early).run();
          };
      Optional<CrashRun.Report> report = campaign(folder.path(), runner, screen, metrics);
      if (report.isPresent()) {
        conclude(report.get(), folder, screen, metrics);
      }
      json.write(metrics);
    }
    return metrics.exitCode();
  }

  private void conclude(
      CrashRun.Report report, RunFolder folder, Screen screen, MetricsRun metrics) {
    CrashSummary summary = CrashSummary.of(report);
    summary.print(screen);
    if (report.interrupted()) {
      screen.line("  interrupted: these are the kills until then");
      screen.line("");
      metrics.param("interrupted", true);
    }
    if (!report.violations().isEmpty()) {
      folder.keep();
      screen.line("  The store is left in " + folder.path());
      screen.line("");
    }
    addMetrics(summary, metrics);
    report.violations().forEach(metrics::violation);
  }

  /** Returns the thread count, or throws {@link #usage}. */
  protected final int threads() {
    return require("--threads", threads, 1, CrashRunOptions.MAX_THREADS);
  }

  /** Returns a value that lies in its range, or throws {@link #usage}. */
  protected final int require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw usage(
          option
              + " must be at least "
              + min
              + (max < Integer.MAX_VALUE ? " and at most " + max : "")
              + ": "
              + value);
    }
    return value;
  }

  /** Returns what ends the command with exit code 2. */
  protected final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Returns a figure that was counted. */
  protected static Metric counted(String name, long value, Map<String, Object> params) {
    return Metric.single(name, "count", (double) value, params);
  }
}
