package io.howdah.lab.test;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.crashtest.kill.CrashRun;
import io.howdah.crashtest.kill.RoundPlan;
import io.howdah.crashtest.kill.Sabotage;
import io.howdah.crashtest.power.PowerDisk;
import io.howdah.crashtest.power.PowerDiskKind;
import io.howdah.lab.demo.CrashRunCommand;
import io.howdah.lab.demo.CrashSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah test power}: power cuts of a real file system under load. */
@Command(
    name = "power",
    mixinStandardHelpOptions = true,
    description =
        "Cuts the power of a file system under load, many times: the kernel drops what was not"
            + " forced, of its own memory and of the disk's cache. After each cut the file system"
            + " and the store recover, and nothing acknowledged as durable may be lost. First a"
            + " store whose forces do nothing must be seen to lose. Needs Linux, root and loop"
            + " devices. With --file-system SIMULATED, which needs Linux and a C compiler, what the"
            + " process asked of the kernel is repeated on the simulated disk, and what that disk"
            + " may have after the cut is written back. Ctrl-C ends it early, with the sums until"
            + " then.%n")
public final class PowerCommand extends CrashRunCommand {

  private static final int MAX_MILLIS = 3_600_000;

  /** Cuts after which a store whose forces do nothing must have been noticed. */
  private static final int CONTROL_CUTS = 5;

  @Option(
      names = "--file-system",
      paramLabel = "KIND",
      defaultValue = "EXT4",
      description = "Under the store: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private PowerDiskKind kind;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "20",
      description = "How often to cut (${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--millis",
      paramLabel = "N",
      defaultValue = "300",
      description = "How long transfers run before a cut, on average (${DEFAULT-VALUE}).")
  private int millis;

  private int controlCuts;

  /** Creates it, for the command line. */
  public PowerCommand() {}

  @Override
  protected String title() {
    return "Howdah power cuts on " + kind.name().toLowerCase(Locale.ROOT);
  }

  @Override
  protected String commandName() {
    return "test power";
  }

  @Override
  protected int kills() {
    return require("--runs", runs, 1, Integer.MAX_VALUE);
  }

  @Override
  protected Duration running() {
    return Duration.ofMillis(kills() * (long) require("--millis", millis, 1, MAX_MILLIS));
  }

  @Override
  protected List<String> plans() {
    return RoundPlan.names();
  }

  @Override
  protected Optional<CrashRun.Report> campaign(
      Path folder, Runner runner, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Optional<String> whyNot = kind.whyNot(folder);
    if (whyNot.isPresent()) {
      screen.line("  skipped: " + whyNot.get());
      metrics.param("skipped", whyNot.get());
      return Optional.empty();
    }
    if (sabotage() == Sabotage.NONE) {
      screen.line("  control: a store whose forces do nothing");
      CrashRun.Report control =
          cut(folder.resolve("control"), runner, CONTROL_CUTS, Sabotage.FORCES);
      if (control.violations().isEmpty() && control.interrupted()) {
        return Optional.of(control);
      }
      if (control.violations().isEmpty()) {
        metrics.violation("a store whose forces do nothing was not noticed: nothing is proven");
        return Optional.of(control);
      }
      controlCuts = control.rounds().size();
      screen.line("  noticed: " + control.violations().getFirst().replace("@|", "@ |"));
      screen.line("");
    }
    return Optional.of(cut(folder.resolve("disk"), runner, kills(), sabotage()));
  }

  private CrashRun.Report cut(Path folder, Runner runner, int cuts, Sabotage spoiled)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    try (PowerDisk disk = kind.create(folder)) {
      Scene scene = new Scene(disk.root().resolve("store"), disk.cut(cuts));
      CrashRun.Report report = runner.run(scene, cuts, spoiled);
      if (!report.violations().isEmpty() && spoiled != Sabotage.FORCES) {
        disk.keep();
      }
      return report;
    }
  }

  @Override
  protected void addMetrics(CrashSummary summary, MetricsRun metrics) {
    Map<String, Object> params =
        Map.of("threads", threads(), "fileSystem", kind.name().toLowerCase(Locale.ROOT));
    metrics.add(counted("power.cuts", summary.kills(), params));
    metrics.add(counted("power.whileOpening", summary.killsWhileOpening(), params));
    metrics.add(counted("power.controlCuts", controlCuts, params));
    metrics.add(counted("power.acknowledged", summary.acknowledged(), params));
    metrics.add(counted("power.recovered", summary.recovered(), params));
    metrics.add(counted("power.dropped", summary.dropped(), params));
    metrics.add(counted("power.lost", summary.lost(), params));
    summary.recoveryMillis("power.recoveryMillis", params).ifPresent(metrics::add);
  }
}
