package io.howdah.lab.bench;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.log.StandardErrorLog;
import io.howdah.cli.terminal.Screen;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.workload.Rounds;
import io.howdah.lab.run.RunFolder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that measures in a folder of its own and writes figures. */
abstract class BenchRun implements Callable<Integer>, StudyProgress {

  private static final int MAX_ROUNDS = 10_000;
  private static final int MAX_ROUND_MILLIS = 600_000;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "Rounds that count; a figure is the median over them (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--round-millis",
      paramLabel = "N",
      defaultValue = "400",
      description = "How long each subject runs in a round (${DEFAULT-VALUE}).")
  private int roundMillis;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder for the stores, absent or empty; it stays. Without it one is made and removed.")
  private @Nullable Path dir;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  private @Nullable Screen screen;

  /** Returns the name without options. */
  abstract String commandName();

  /** Returns how much room on disk the measurement may take. */
  abstract long neededBytes();

  /**
   * Returns the class that starts the whole command, which names this one and so is not named here.
   */
  final Class<?> mainClass() {
    return spec.root().userObject().getClass();
  }

  /** Measures, with stores in {@code folder}, and prints what it found. */
  abstract void measure(Path folder, MetricsRun metrics) throws Exception;

  @Override
  public final Integer call() throws Exception {
    StandardErrorLog.setLevel(System.Logger.Level.WARNING); // recoveries are what is measured
    screen = Screen.of(spec.commandLine());
    MetricsRun metrics = MetricsRun.start(commandName());
    metrics.param("rounds", rounds()).param("roundMillis", (long) roundMillis());
    try (RunFolder folder = RunFolder.choose(dir, neededBytes(), spec)) {
      measure(folder.path(), metrics);
    }
    json.write(metrics);
    return metrics.exitCode();
  }

  final Screen screen() {
    if (screen == null) {
      throw new IllegalStateException("not running");
    }
    return screen;
  }

  /**
   * Returns where JVMs that this one starts write for people, or null for the standard output as it
   * is.
   */
  final @Nullable PrintWriter divertedOutput() {
    return json.isTextWanted() ? null : spec.commandLine().getOut();
  }

  final int rounds() {
    return require("--rounds", rounds, 1, MAX_ROUNDS);
  }

  final int roundMillis() {
    return require("--round-millis", roundMillis, 1, MAX_ROUND_MILLIS);
  }

  final Effort effort() {
    return new Effort(rounds(), roundMillis() * 1_000_000L);
  }

  /** Returns a value that lies in its range, or ends the command with exit code 2. */
  final int require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw usage("%s must be from %,d to %,d: %,d".formatted(option, min, max, value));
    }
    return value;
  }

  final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  @Override
  public final void begins(String part) {
    screen().status("  " + part);
  }

  @Override
  public final Rounds.Progress rounds(String what) {
    return (step, steps, subject) -> screen().status(what + ": " + subject, (double) step / steps);
  }

  /** Adds the median of samples to the figures and returns it. */
  static Metric add(
      MetricsRun metrics,
      String name,
      String unit,
      List<Double> samples,
      Map<String, Object> params) {
    Metric metric = Metric.median(name, unit, array(samples), params);
    metrics.add(metric);
    return metric;
  }

  /** Adds a figure that was observed once and returns it. */
  static Metric addSingle(
      MetricsRun metrics, String name, String unit, double value, Map<String, Object> params) {
    Metric metric = Metric.single(name, unit, value, params);
    metrics.add(metric);
    return metric;
  }

  static double median(List<Double> samples) {
    return Metric.median("median", "1", array(samples), Map.of()).value();
  }

  private static double[] array(List<Double> samples) {
    return samples.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Notes whether a baseline moved too much, and which: {@code noisyBaselines} names them all. */
  final void judgeNoise(MetricsRun metrics, String baseline, List<Double> samples) {
    if (Rounds.isNoisy(samples)) {
      metrics.markNoisy(baseline);
      screen()
          .line(
              "  @|yellow noisy:|@ %s moved by more than a quarter while this ran"
                  .formatted(baseline));
    }
  }
}
