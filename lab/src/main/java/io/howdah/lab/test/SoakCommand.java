package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.crashtest.soak.Flatness;
import io.howdah.crashtest.soak.SoakOptions;
import io.howdah.crashtest.soak.SoakPlant;
import io.howdah.crashtest.soak.SoakReport;
import io.howdah.crashtest.soak.SoakRun;
import io.howdah.crashtest.soak.SoakSeries;
import io.howdah.lab.run.RunFolder;
import io.howdah.lab.run.TimeSpan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah test soak}: hours of mixed load, with kills, and figures that must stay flat. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    description =
        "Works on a store with all its structures for a long time, kills and reopens it, compares"
            + " it with a model outside of the process, and watches memory, files, descriptors,"
            + " threads and latencies, which must stay flat. First it checks that it notices a lost"
            + " operation and a leak. Ctrl-C ends it early, with the report of what was seen until"
            + " then.")
public final class SoakCommand implements Callable<Integer> {

  private static final long NEEDED_BYTES = 2_000_000_000;
  private static final int DEFAULT_MAX_KILLS = 1000;
  private static final long SECONDS_PER_KILL = 20;
  private static final Duration LOST_CONTROL = Duration.ofSeconds(3);
  private static final Duration LEAK_CONTROL = Duration.ofSeconds(24);

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "2h",
      converter = TimeSpan.class,
      description = "How long operations run, as 2h, 90m or 45s (${DEFAULT-VALUE}).")
  private Duration time = Duration.ofHours(2);

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of operations and kills; random if not given.")
  private @Nullable Long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "4",
      description = "Workers; every second one is a virtual thread (${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "4000",
      description =
          "Operations a second, of all workers together; 0 for as many as there can be"
              + " (${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--kills",
      paramLabel = "N",
      description =
          "How often the process ends in the first half of the time; default: every 20 s. The"
              + " second half is one process.")
  private @Nullable Integer kills;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder for the store, absent or empty; it stays. Without it one is made and removed.")
  private @Nullable Path dir;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Draw the figures over time into files of DIR.")
  private @Nullable Path out;

  @Option(
      names = "--plant",
      paramLabel = "WHAT",
      defaultValue = "NONE",
      description =
          "Do something wrong on purpose, to see the run fail: ${COMPLETION-CANDIDATES}"
              + " (${DEFAULT-VALUE}).")
  private SoakPlant plant = SoakPlant.NONE;

  @Option(names = "--no-control", description = "Leave out the control runs at the beginning.")
  private boolean noControl;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public SoakCommand() {}

  @Override
  public Integer call() throws Exception {
    long chosen = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
    MetricsRun metrics =
        MetricsRun.start("test soak")
            .param("seed", chosen)
            .param("threads", workers)
            .param("rate", rate)
            .param("seconds", time.toMillis() / 1e3);
    Screen screen = Screen.of(spec.commandLine());
    try (RunFolder folder = RunFolder.choose(dir, NEEDED_BYTES, spec)) {
      SoakOptions options = options(folder.path().resolve("soak"), chosen);
      screen.line("");
      screen.line("  @|bold Howdah soak|@");
      screen.line(
          "  @|faint seed %d, %d threads, %s, store in %s|@"
              .formatted(chosen, workers, TimeSpan.text(time), folder.path()));
      boolean sound = plant != SoakPlant.NONE || noControl || control(options, screen, metrics);
      if (sound) {
        run(options, screen, metrics, folder);
      } else {
        json.write(metrics);
      }
    }
    return metrics.exitCode();
  }

  /** After Ctrl-C, the JVM ends when the run is closed: with its report written. */
  private void run(SoakOptions options, Screen screen, MetricsRun metrics, RunFolder folder)
      throws IOException, InterruptedException {
    try (SoakRun run = prepare(options, screen)) {
      SoakReport report = run.run();
      conclude(report, screen, metrics);
      if (out != null) {
        SoakPlot.write(out, report);
      }
      if (!report.violations().isEmpty()) {
        folder.keep();
        screen.line("  The store is left in " + folder.path());
      }
      json.write(metrics);
    }
  }

  private SoakOptions options(Path store, long chosen) {
    int ends =
        kills != null
            ? kills
            : Math.clamp(time.toSeconds() / 2 / SECONDS_PER_KILL, 1, DEFAULT_MAX_KILLS);
    try {
      return new SoakOptions(store, chosen, time, workers, rate, ends, plant);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A soak that does not notice what is wrong on purpose proves nothing. */
  private static boolean control(SoakOptions options, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    return notices(options, SoakPlant.LOST_OPERATIONS, LOST_CONTROL, screen, metrics)
        && notices(options, SoakPlant.DESCRIPTORS, LEAK_CONTROL, screen, metrics);
  }

  private static boolean notices(
      SoakOptions options, SoakPlant planted, Duration time, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    SoakOptions spoiled =
        new SoakOptions(
            options.store().resolveSibling("control-" + planted),
            options.seed(),
            time,
            options.workers(),
            options.rate(),
            1,
            planted);
    SoakReport report;
    try (SoakRun run = prepare(spoiled, screen)) {
      report = run.run();
    }
    String name = planted.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    if (report.violations().isEmpty()) {
      screen.line("  control: %s were not noticed: nothing is proven".formatted(name));
      metrics.violation("control: " + name + " were not noticed: nothing is proven");
      return false;
    }
    screen.line("  @|faint control, %s: noticed, %s|@".formatted(name, report.violations().get(0)));
    return true;
  }

  private static SoakRun prepare(SoakOptions options, Screen screen) {
    double all = options.time().toNanos() / 1e9;
    return new SoakRun(
        options,
        (seconds, life, operations) ->
            screen.status(
                "process %d  %,d operations  %.0f of %.0f s"
                    .formatted(life, operations, seconds, all),
                seconds / all));
  }

  private static void conclude(SoakReport report, Screen screen, MetricsRun metrics) {
    screen.line(
        "  %,d operations in %,.0f s, %d kills, %d while opening, %d closes, %d checkpoints in the longest process"
            .formatted(
                report.operations(),
                report.seconds(),
                report.kills(),
                report.killsWhileOpening(),
                report.closes(),
                report.checkpoints()));
    for (Flatness.Verdict verdict : report.verdicts()) {
      if (verdict.series() != SoakSeries.RATE) {
        screen.plainLine(
            "  %-8s %-12s %-22s %10.1f -> %10.1f %-5s at most %.1f"
                .formatted(
                    verdict.isFlat() ? "flat" : "NOT FLAT",
                    verdict.series().text(),
                    verdict.where(),
                    verdict.first(),
                    verdict.last(),
                    verdict.series().unit(),
                    verdict.limit()));
      }
    }
    if (report.verdicts().isEmpty()) {
      screen.line("  too short to say whether figures are flat");
    }
    if (report.interrupted()) {
      screen.line("  interrupted: the figures are those until then");
      metrics.param("interrupted", true);
    }
    report.violations().forEach(violation -> screen.plainLine("  BROKEN " + violation));
    figures(report, metrics);
    report.violations().forEach(metrics::violation);
  }

  private static void figures(SoakReport report, MetricsRun metrics) {
    Map<String, Object> none = Map.of();
    metrics.add(Metric.single("soak.operations", "count", (double) report.operations(), none));
    metrics.add(Metric.single("soak.kills", "count", report.kills(), none));
    metrics.add(Metric.single("soak.killsWhileOpening", "count", report.killsWhileOpening(), none));
    metrics.add(Metric.single("soak.closes", "count", report.closes(), none));
    metrics.add(Metric.single("soak.maxOpeningMillis", "ms", report.maxOpeningNanos() / 1e6, none));
    for (SoakSeries series : SoakSeries.values()) {
      double[] values =
          report.samples().stream()
              .map(sample -> sample.value(series))
              .flatMapToDouble(value -> value.stream())
              .toArray();
      if (values.length > 0) {
        metrics.add(Metric.median("soak." + series.text(), series.unit(), values, none));
      }
    }
  }
}
