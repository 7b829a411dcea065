package io.howdah.lab.test;

import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.kill.RoundPlan;
import io.howdah.lab.demo.CrashRunCommand;
import io.howdah.lab.demo.CrashSummary;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah test kill}: many kills of a process under load. */
@Command(
    name = "kill",
    mixinStandardHelpOptions = true,
    description =
        "Kills a process under load (SIGKILL), many times, and checks after each kill that nothing"
            + " acknowledged is lost. The demo with more kills and less time between them."
            + " Ctrl-C ends it early, with the sums until then.%n")
public final class KillCommand extends CrashRunCommand {

  private static final int MAX_MILLIS = 3_600_000;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "200",
      description = "How often to kill (${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--millis",
      paramLabel = "N",
      defaultValue = "300",
      description = "How long transfers run before a kill, on average (${DEFAULT-VALUE}).")
  private int millis;

  @Option(
      names = "--commits",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "async,mixed",
      description = "What the processes do, in turn: a commit mode or mixed (${DEFAULT-VALUE}).")
  private List<String> commits;

  /** Creates it, for the command line. */
  public KillCommand() {}

  @Override
  protected String title() {
    return "Howdah kill campaign";
  }

  @Override
  protected String commandName() {
    return "test kill";
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
    for (String plan : commits) {
      if (!RoundPlan.names().contains(plan)) {
        throw usage("--commits: " + plan + " is none of " + String.join(", ", RoundPlan.names()));
      }
    }
    return commits;
  }

  @Override
  protected void addMetrics(CrashSummary summary, MetricsRun metrics) {
    Map<String, Object> params = Map.of("threads", threads());
    metrics.add(counted("kill.runs", summary.kills(), params));
    metrics.add(counted("kill.whileOpening", summary.killsWhileOpening(), params));
    metrics.add(counted("kill.acknowledged", summary.acknowledged(), params));
    metrics.add(counted("kill.recovered", summary.recovered(), params));
    metrics.add(counted("kill.lost", summary.lost(), params));
    summary.recoveryMillis("kill.recoveryMillis", params).ifPresent(metrics::add);
    summary.rates("kill.txnPerSec.", params).forEach(metrics::add);
  }
}
