package io.howdah.replica.command.lab;

import io.howdah.cli.command.BuildIdentity;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah bench replica}: what a replica group costs beside a plain store, and its times. */
@Command(
    name = "replica",
    mixinStandardHelpOptions = true,
    description =
        "Three processes on this machine and its one disk: commits beside those of a plain store in"
            + " the leader's process, a member that applies, catches up, gets a snapshot or is"
            + " away, and fail-overs.%n")
public final class BenchCommand implements Callable<Integer> {

  private static final int MANY = 64;
  private static final int MAX_ROUNDS = 10_000;
  private static final int MAX_MILLIS = 600_000;
  private static final int MAX_MEBIBYTES = 1 << 16;
  private static final double NANOS_PER_MILLI = 1e6;

  /** What is measured. */
  enum Part {
    COMMITS,
    APPLIER,
    CATCHUP,
    INSTALL,
    AWAY,
    FAILOVER
  }

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "Rounds that count; a figure is the median over them (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--round-millis",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How long each subject runs in a round (${DEFAULT-VALUE}).")
  private int roundMillis;

  @Option(
      names = "--mib",
      paramLabel = "N",
      defaultValue = "256",
      description =
          "Length of the entries, and of the image, that a member lacks" + " (${DEFAULT-VALUE}).")
  private int mebibytes;

  @Option(
      names = "--away-seconds",
      paramLabel = "N",
      defaultValue = "600",
      description = "How long a member is away under load (${DEFAULT-VALUE}).")
  private int awaySeconds;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "How often to kill the leader, and how often to hand leadership over"
              + " (${DEFAULT-VALUE}).")
  private int kills;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      description = "Some of ${COMPLETION-CANDIDATES}. Default: all.")
  private List<Part> parts = List.of(Part.values());

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Folder for the stores, on the disk that is measured; a new one is made in it.")
  private @Nullable Path dir;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  private final Table table =
      new Table().text("figure", 52).figure("median", 12).figure("bar", 12).text("", 6);

  /** A subject of the rounds: which store, and how many threads. */
  private enum Subject {
    PLAIN_ONE(false, 1),
    GROUP_ONE(true, 1),
    PLAIN_MANY(false, MANY),
    GROUP_MANY(true, MANY);

    private final boolean isGroup;
    private final int threads;

    Subject(boolean isGroup, int threads) {
      this.isGroup = isGroup;
      this.threads = threads;
    }
  }

  /** Creates it, for the command line. */
  public BenchCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    require("--rounds", rounds, MAX_ROUNDS);
    require("--round-millis", roundMillis, MAX_MILLIS);
    require("--mib", mebibytes, MAX_MEBIBYTES);
    require("--away-seconds", awaySeconds, MAX_MILLIS);
    require("--kills", kills, MAX_ROUNDS);
    Screen screen = Screen.of(spec.commandLine());
    MetricsRun metrics = MetricsRun.start("bench replica");
    metrics
        .param("rounds", rounds)
        .param("roundMillis", roundMillis)
        .param("mebibytes", mebibytes)
        .param("awaySeconds", awaySeconds)
        .param("kills", kills);
    Path parent = dir == null ? BuildIdentity.workFolder() : dir;
    Files.createDirectories(parent);
    Path folder = Files.createTempDirectory(parent, "replica-");
    try {
      screen.line("");
      screen.line("@|faint " + table.head() + "|@");
      screen.line("@|faint " + table.rule() + "|@");
      for (Part part : parts) {
        Path own = folder.resolve(part.name().toLowerCase(Locale.ROOT));
        switch (part) {
          case COMMITS -> commits(own, screen, metrics);
          case APPLIER -> applier(own, screen, metrics);
          case CATCHUP -> catchUp(own, screen, metrics);
          case INSTALL -> install(own, screen, metrics);
          case AWAY -> away(own, screen, metrics);
          case FAILOVER -> failOver(own, screen, metrics);
        }
      }
      screen.line("");
    } finally {
      Folders.delete(folder);
    }
    json.write(metrics);
    return metrics.exitCode();
  }

  private void require(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new ParameterException(
          spec.commandLine(), "%s is from 1 to %,d, not %d".formatted(option, max, value));
    }
  }

  /** Adds a figure, and shows it beside its bar. */
  private void show(
      Screen screen,
      MetricsRun metrics,
      Metric metric,
      String what,
      String value,
      String bar,
      boolean isReached) {
    metrics.add(metric);
    screen.plainLine(table.row(what, value, bar, bar.isEmpty() ? "" : isReached ? "" : "MISSED"));
  }

  private static Metric median(
      String name, String unit, List<Double> samples, Map<String, Object> params) {
    return Metric.median(
        name, unit, samples.stream().mapToDouble(Double::doubleValue).toArray(), params);
  }

  private void commits(Path folder, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    Map<Subject, List<Bench.Loaded>> all = new EnumMap<>(Subject.class);
    try (Bench bench = Bench.small(folder)) {
      for (int round = -1; round < rounds; round++) {
        List<Subject> order = new ArrayList<>(List.of(Subject.values()));
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        for (Subject subject : order) {
          screen.status("round %d of %d: %s".formatted(round + 1, rounds, subject));
          Bench.Loaded loaded =
              bench.load(subject.isGroup, subject.threads, roundMillis, Bench.WORDS, false);
          if (round >= 0) {
            all.computeIfAbsent(subject, _ -> new ArrayList<>()).add(loaded);
          }
        }
      }
    }
    List<Double> plainP50 = new ArrayList<>();
    List<Double> groupP50 = new ArrayList<>();
    List<Double> overBar = new ArrayList<>();
    List<Double> overPlain = new ArrayList<>();
    List<Double> rate = new ArrayList<>();
    List<Double> plainRate = new ArrayList<>();
    List<Double> perEntry = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      double plain = of(all, Subject.PLAIN_ONE, i).result().p50Nanos() / NANOS_PER_MILLI;
      double group = of(all, Subject.GROUP_ONE, i).result().p50Nanos() / NANOS_PER_MILLI;
      plainP50.add(plain);
      groupP50.add(group);
      overBar.add(group / (3 * plain + 3));
      Bench.Loaded many = of(all, Subject.GROUP_MANY, i);
      rate.add(many.result().perSecond());
      plainRate.add(of(all, Subject.PLAIN_MANY, i).result().perSecond());
      overPlain.add(rate.getLast() / plainRate.getLast());
      perEntry.add((double) many.result().commits() / Math.max(1, many.entries()));
    }
    Map<String, Object> one = Map.of("threads", 1);
    Map<String, Object> many = Map.of("threads", MANY);
    Metric metric = median("replica.plainSync.p50Millis", "ms", plainP50, one);
    show(screen, metrics, metric, "plain SYNC, 1 thread, p50", millis(metric), "", true);
    Metric group = median("replica.sync.p50Millis", "ms", groupP50, one);
    double bar = 3 * metric.value() + 3;
    show(
        screen,
        metrics,
        group,
        "group SYNC, 1 thread, p50",
        millis(group),
        "<= " + Figures.nanos(bar * NANOS_PER_MILLI),
        group.value() <= bar);
    metric = median("replica.sync.p50OverBar", "ratio", overBar, one);
    show(
        screen,
        metrics,
        metric,
        "  over 3 x plain + 3 ms",
        ratio(metric),
        "<= 1",
        metric.value() <= 1);
    metric = median("replica.plainSync.txnPerSec", "txn/s", plainRate, many);
    show(screen, metrics, metric, "plain SYNC, 64 threads, a second", rate(metric), "", true);
    metric = median("replica.sync.txnPerSec", "txn/s", rate, many);
    show(screen, metrics, metric, "group SYNC, 64 threads, a second", rate(metric), "", true);
    metric = median("replica.sync.overPlain", "ratio", overPlain, many);
    show(screen, metrics, metric, "  over plain", ratio(metric), ">= 0.20", metric.value() >= 0.2);
    metric = median("replica.sync.commitsPerEntry", "ratio", perEntry, many);
    show(
        screen,
        metrics,
        metric,
        "  commits for each entry",
        String.format(Locale.ROOT, "%.1f", metric.value()),
        ">= 16",
        metric.value() >= 16);
  }

  private static Bench.Loaded of(Map<Subject, List<Bench.Loaded>> all, Subject subject, int round) {
    List<Bench.Loaded> rounds = all.get(subject);
    if (rounds == null) {
      throw new IllegalStateException("not measured: " + subject);
    }
    return rounds.get(round);
  }

  private static String millis(Metric metric) {
    return Figures.nanos(metric.value() * NANOS_PER_MILLI);
  }

  private static String ratio(Metric metric) {
    return Figures.ratio(metric.value());
  }

  private static String rate(Metric metric) {
    return Figures.rate(metric.value());
  }

  private void applier(Path folder, Screen screen, MetricsRun metrics) throws IOException {
    List<Double> committed = new ArrayList<>();
    List<Double> applied = new ArrayList<>();
    List<Double> over = new ArrayList<>();
    for (int round = -1; round < rounds; round++) {
      screen.status("a member applies, round %d of %d".formatted(round + 1, rounds));
      AppliedLog.Rates rates = new AppliedLog().measure(folder, roundMillis * 1_000_000L);
      Folders.delete(folder);
      if (round >= 0) {
        committed.add(rates.committed());
        applied.add(rates.applied());
        over.add(rates.applied() / rates.committed());
      }
    }
    Metric metric =
        median("replica.plainAsync.txnPerSec", "txn/s", committed, Map.of("threads", 1));
    show(screen, metrics, metric, "plain ASYNC, 1 thread, a second", rate(metric), "", true);
    metric = median("replica.applier.txnPerSec", "txn/s", applied, Map.of());
    show(screen, metrics, metric, "a member applies, a second", rate(metric), "", true);
    metric = median("replica.applier.overAsync", "ratio", over, Map.of());
    show(
        screen,
        metrics,
        metric,
        "  over plain ASYNC",
        ratio(metric),
        ">= 0.80",
        metric.value() >= 0.8);
  }

  private void catchUp(Path folder, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    Bench.CatchUp found = Bench.catchUp(folder, mebibytes, screen::status);
    Metric metric =
        Metric.single(
            "replica.catchUp.seconds", "s", found.seconds(), Map.of("mebibytes", mebibytes));
    show(
        screen,
        metrics,
        metric,
        "catch-up behind " + mebibytes + " MiB of entries, half load",
        Figures.nanos(found.seconds() * 1e9),
        "it ends",
        true);
  }

  private void install(Path folder, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    Bench.Installed found = Bench.install(folder, mebibytes, screen::status);
    Map<String, Object> params = Map.of("mebibytes", mebibytes);
    Metric metric = Metric.single("replica.install.seconds", "s", found.seconds(), params);
    show(
        screen,
        metrics,
        metric,
        "start and installation of an image of " + mebibytes + " MiB",
        Figures.nanos(found.seconds() * 1e9),
        "<= 30 s",
        found.seconds() <= 30);
    double ratio = found.p99Meanwhile() / found.p99Before();
    metric = Metric.single("replica.install.p99Ratio", "ratio", ratio, params);
    show(
        screen,
        metrics,
        metric,
        "  p99 of commits meanwhile over before",
        ratio(metric),
        "<= 3",
        ratio <= 3);
  }

  private void away(Path folder, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    Bench.Away found = Bench.away(folder, awaySeconds, screen::status);
    Map<String, Object> params = Map.of("seconds", awaySeconds);
    Metric metric =
        Metric.single("replica.away.logBytes", "bytes", (double) found.mostLogBytes(), params);
    show(
        screen,
        metrics,
        metric,
        "one member away for " + awaySeconds + " s: the engine's log",
        Figures.bytes((double) found.mostLogBytes()),
        "<= " + Figures.bytes((double) found.boundBytes()),
        found.mostLogBytes() <= found.boundBytes());
    metric =
        Metric.single(
            "replica.away.heapGrowthBytes",
            "bytes",
            (double) (found.heapAfter() - found.heapBefore()),
            params);
    show(
        screen,
        metrics,
        metric,
        "  heap in use after, over before",
        Figures.ratio((double) found.heapAfter() / found.heapBefore()),
        "",
        true);
    double ratio = found.meanwhile() / found.before();
    metric = Metric.single("replica.away.overWhole", "ratio", ratio, params);
    show(
        screen,
        metrics,
        metric,
        "  commits a second over those of a whole group",
        ratio(metric),
        ">= 1",
        ratio >= 1);
  }

  private void failOver(Path folder, Screen screen, MetricsRun metrics)
      throws IOException, InterruptedException {
    List<Fault> plan = new ArrayList<>();
    for (int i = 0; i < kills; i++) {
      plan.add(Fault.KILL);
      plan.add(Fault.TRANSFER);
    }
    Files.createDirectories(folder);
    DemoRun.Figures figures =
        new DemoRun(folder, plan, 0, 1, DemoRun.LONG_PATIENCE_NANOS)
            .run(screen::status, _ -> screen.status("fail-overs"));
    figures.ledger().complaints().forEach(metrics::violation);
    figures.ledger().complaints().forEach(screen::plainLine);
    times(
        figures,
        Fault.KILL,
        "replica.failOver.millis",
        "killed leader to the first commit elsewhere",
        3000,
        6000,
        screen,
        metrics);
    times(
        figures,
        Fault.TRANSFER,
        "replica.transfer.millis",
        "transfer to the first commit elsewhere",
        1000,
        1000,
        screen,
        metrics);
    long unknown = figures.unknown(Fault.TRANSFER);
    show(
        screen,
        metrics,
        Metric.single("replica.transfer.unknown", "count", (double) unknown, Map.of()),
        "  unknown outcomes by transfers",
        Long.toString(unknown),
        "0",
        unknown == 0);
  }

  private void times(
      DemoRun.Figures figures,
      Fault fault,
      String name,
      String what,
      double p50Bar,
      double maxBar,
      Screen screen,
      MetricsRun metrics) {
    List<Double> millis =
        figures.failOverNanos(fault).stream().map(nanos -> nanos / NANOS_PER_MILLI).toList();
    if (millis.isEmpty()) {
      return;
    }
    Metric metric = median(name, "ms", millis, Map.of());
    show(
        screen,
        metrics,
        metric,
        what,
        millis(metric),
        "<= " + Figures.nanos(p50Bar * NANOS_PER_MILLI),
        metric.value() <= p50Bar);
    screen.plainLine(
        table.row(
            "  the longest",
            Figures.nanos(metric.max() * NANOS_PER_MILLI),
            "<= " + Figures.nanos(maxBar * NANOS_PER_MILLI),
            metric.max() <= maxBar ? "" : "MISSED"));
  }
}
