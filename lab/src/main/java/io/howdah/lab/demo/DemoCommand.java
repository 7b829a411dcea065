package io.howdah.lab.demo;

import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.kill.RoundPlan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah demo}: the store's main job, on real data, with crashes. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Moves people between real cities in concurrent transactions, in a process that is killed"
            + " (SIGKILL) again and again, and checks after each kill that nothing acknowledged is"
            + " lost.%n")
public final class DemoCommand extends CrashRunCommand {

  private static final long MAX_SECONDS = 86_400;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "How long transfers run, all processes together (${DEFAULT-VALUE}). Starting them and"
              + " opening the store comes on top.")
  private double seconds;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "20",
      description = "How often to kill (${DEFAULT-VALUE}).")
  private int kills;

  /** Creates it, for the command line. */
  public DemoCommand() {}

  @Override
  protected String title() {
    return "Howdah demo: people move between cities, and the process is killed";
  }

  @Override
  protected String commandName() {
    return "demo";
  }

  @Override
  protected int kills() {
    return require("--kills", kills, 1, Integer.MAX_VALUE);
  }

  @Override
  protected Duration running() {
    // The negation refuses NaN too.
    if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
      throw usage("--seconds must be above 0 and at most " + MAX_SECONDS + ": " + seconds);
    }
    Duration running = Duration.ofNanos((long) (seconds * 1e9));
    if (running.compareTo(Duration.ofMillis(kills())) < 0) {
      throw usage("--seconds must leave a millisecond for each kill: " + seconds);
    }
    return running;
  }

  @Override
  protected List<String> plans() {
    return RoundPlan.names();
  }

  @Override
  protected void addMetrics(CrashSummary summary, MetricsRun metrics) {
    Map<String, Object> params = Map.of("threads", threads());
    metrics.param("seconds", seconds);
    metrics.add(counted("demo.kills", summary.kills(), params));
    metrics.add(counted("demo.killsWhileOpening", summary.killsWhileOpening(), params));
    metrics.add(counted("demo.acknowledged", summary.acknowledged(), params));
    metrics.add(counted("demo.recovered", summary.recovered(), params));
    metrics.add(counted("demo.lost", summary.lost(), params));
    summary.recoveryMillis("demo.recoveryMillis", params).ifPresent(metrics::add);
    summary.rates("demo.txnPerSec.", params).forEach(metrics::add);
  }
}
