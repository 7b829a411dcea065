package io.howdah.cli.json;

import io.howdah.cli.command.BuildIdentity;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Collects what one command measures, from its start to its end. For one thread. */
public final class MetricsRun {

  /** How the start script's own properties begin. */
  private static final String OWN_PROPERTIES = "-Dhowdah.";

  /** The parameter that names the noisy baselines. */
  public static final String NOISY_BASELINES = "noisyBaselines";

  /** Between the names of baselines. */
  public static final String BETWEEN = ", ";

  private final Clock clock;
  private final String command;
  private final Instant started;

  /** Taken at the start: a checkout may move on while its build runs. */
  private final String commit = BuildIdentity.commit();

  private final Map<String, Object> params = new TreeMap<>();
  private final List<Metric> metrics = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final Set<String> noisyBaselines = new LinkedHashSet<>();
  private boolean noisy;

  private MetricsRun(Clock clock, String command) {
    this.clock = clock;
    this.command = command;
    this.started = clock.instant();
  }

  /**
   * Starts the run of a command.
   *
   * @param command its name without options, for instance {@code bench w6}
   */
  public static MetricsRun start(String command) {
    return start(Clock.systemUTC(), command);
  }

  static MetricsRun start(Clock clock, String command) {
    return new MetricsRun(clock, command);
  }

  /** Notes something the whole run was given: a number, a boolean or a string. */
  public MetricsRun param(String name, Object value) {
    params.put(name, value);
    return this;
  }

  /** Adds a figure. */
  public void add(Metric metric) {
    metrics.add(metric);
  }

  /** Notes a broken promise; the command then exits with 1. */
  public void violation(String what) {
    violations.add(what);
  }

  /** Says that the raw baseline moved too much; once said, it stays. */
  public void markNoisy() {
    noisy = true;
  }

  /** Says the same, and which baseline: the parameter {@value #NOISY_BASELINES} names them all. */
  public void markNoisy(String baseline) {
    noisy = true;
    noisyBaselines.add(baseline);
    params.put(NOISY_BASELINES, String.join(BETWEEN, noisyBaselines));
  }

  /** Returns 0, or 1 if a promise was broken. */
  public int exitCode() {
    return violations.isEmpty() ? 0 : 1;
  }

  /** Returns all of it, as of now. */
  public MetricsFile finish() {
    double seconds = Duration.between(started, clock.instant()).toNanos() / 1e9;
    return new MetricsFile(
        command,
        commit,
        jvm(ManagementFactory.getRuntimeMXBean().getInputArguments()),
        os(),
        Runtime.getRuntime().availableProcessors(),
        started,
        seconds,
        noisy,
        params,
        metrics,
        violations);
  }

  /**
   * Names the JVM with its flags, but not the properties by which the start script names its own
   * folders: they change nothing that is measured, and a result that is passed on tells nothing of
   * the machine's paths.
   */
  static String jvm(List<String> flags) {
    StringBuilder jvm = new StringBuilder(System.getProperty("java.vm.name"));
    jvm.append(' ').append(Runtime.version());
    for (String flag : flags) {
      if (!flag.startsWith(OWN_PROPERTIES)) {
        jvm.append(' ').append(flag);
      }
    }
    return jvm.toString();
  }

  private static String os() {
    return String.join(
        " ",
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("os.arch"));
  }
}
