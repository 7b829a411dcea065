package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.StoreStats;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench commit-modes}: what each way to commit costs, beside the disk's own cost. */
@Command(
    name = "commit-modes",
    mixinStandardHelpOptions = true,
    description =
        "Commits of six random words in every mode, beside raw forces of the same disk. All take"
            + " turns in one process; ratios are medians of the ratios within a round.%n")
final class CommitModesCommand extends BenchRun {

  private static final int WARM_UPS = 2;
  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final long MIB = 1 << 20;
  private static final long LOG_BYTES_PER_SECOND = 400_000_000;
  private static final long SEQUENTIAL_BYTES = 64 * MIB;

  private static final double[] INTERVALS_MILLIS = {0.2, 0.5, 1, 2, 5, 10};
  private static final int[] SYNC_THREADS = {1, 2, 8, 64};
  private static final Durability[] WAITED_FOR = {Durability.SYNC, Durability.PARTITION};
  private static final double VIRTUAL_INTERVAL_MILLIS = 2;
  private static final int VIRTUAL_THREADS = 1000;
  private static final int MANY_PARTITIONS = 64;

  /** Commits of one subject before the other has its turn; long enough to settle, some 20 ms. */
  private static final int LATENCY_BLOCK = 200;

  private static final int LATENCY_WARM_UPS = 5;
  private static final int LATENCY_ROUNDS = 25;
  private static final long SMALL_HEAP_BYTES = 32 * MIB;

  private static final double[] QUANTILES = {0.5, 0.99, 0.999};

  private static final String FORCE = "raw force";
  private static final String SEQUENTIAL = "raw sequential write";
  private static final String ASYNC = "async";
  private static final String SYNC = "sync";
  private static final String APART = "partition, words of their own";

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "256",
      description = "Size of the data in the store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--as-published",
      description =
          "Measure Hathi's own system: a log for each thread, forced by itself after 10 ms or"
              + " 512 KiB, partition commits unchecked.")
  private boolean asPublished;

  private final Table rates =
      new Table()
          .text("subject", 34)
          .figure("per second", 10)
          .figure("of async", 8)
          .figure("commits/force", 13);

  private final Table latencies =
      new Table().text("latency", 44).figure("median", 9).figure("beside", 9).figure("ratio", 5);

  CommitModesCommand() {}

  @Override
  String commandName() {
    return "bench commit-modes";
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
  }

  @Override
  long neededBytes() {
    long rounds = (rounds() + WARM_UPS) * (2L * INTERVALS_MILLIS.length + 6L);
    return rounds * roundNanos() / 1_000_000_000 * LOG_BYTES_PER_SECOND + 4 * heapBytes();
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("heapMiB", heapMib);
    metrics.param("asPublished", asPublished);
    StoreOptions defaults = StoreOptions.defaults().maxSize(SixWords.maxSize(heapBytes()));
    StoreOptions options =
        asPublished ? defaults.asPublished(Runtime.getRuntime().availableProcessors()) : defaults;
    Files.createDirectories(folder);
    screen().line("");
    screen()
        .line(
            "  @|bold Commit modes:|@ six random words of %d MiB, read and written; %d rounds of %d ms"
                .formatted(heapMib, rounds(), roundNanos() / 1_000_000));
    screen().line("");
    screen().status("  filling a heap");
    try (RawDisk disk = RawDisk.create(folder);
        Store store = Store.open(folder.resolve("store"), options)) {
      SixWords words = SixWords.fill(store, heapBytes());
      store.awaitStable(store.stats().lsn());
      rates(words, store, disk, metrics);
      screen().line("");
      screen().line("@|faint " + latencies.head() + "|@");
      screen().line("@|faint " + latencies.rule() + "|@");
      overRawForce(words, disk, metrics);
      timeToStable(words, store, metrics);
    }
    idlePartitions(folder, metrics);
    screen().line("");
  }

  // ---- How many commits a second.

  private void rates(SixWords words, Store store, RawDisk disk, MetricsRun metrics)
      throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    int partitions = store.options().partitions();
    Map<String, List<ThreadTeam.Outcome>> outcomes = new LinkedHashMap<>();
    Map<String, List<Double>> perForce = new LinkedHashMap<>();
    Rounds rounds =
        new Rounds()
            .add(FORCE, () -> disk.forcesPerSecond(roundNanos()))
            .add(SEQUENTIAL, () -> disk.sequentialWriteBytesPerSecond(SEQUENTIAL_BYTES))
            .add(
                ASYNC,
                () -> note(outcomes, ASYNC, words.run(Durability.ASYNC, processors, roundNanos())));
    for (double interval : INTERVALS_MILLIS) {
      for (Durability durability : WAITED_FOR) {
        rounds.add(
            splitPhase(durability, interval, false),
            () -> splitPhase(words, durability, processors, false, interval));
      }
    }
    for (Durability durability : WAITED_FOR) {
      rounds.add(
          splitPhase(durability, VIRTUAL_INTERVAL_MILLIS, true),
          () -> splitPhase(words, durability, VIRTUAL_THREADS, true, VIRTUAL_INTERVAL_MILLIS));
      for (int threads : SYNC_THREADS) {
        rounds.add(
            mode(durability, threads, false),
            () -> waitingRound(words, store, durability, threads, false, perForce));
      }
      rounds.add(
          mode(durability, VIRTUAL_THREADS, true),
          () -> waitingRound(words, store, durability, VIRTUAL_THREADS, true, perForce));
    }
    List<Double> dependent = new ArrayList<>();
    rounds.add(APART, () -> apartRound(words, store, processors, dependent));
    Rounds.Samples samples = rounds.shuffled().run(WARM_UPS, rounds(), progress("commits"));

    screen().line("@|faint " + rates.head() + "|@");
    screen().line("@|faint " + rates.rule() + "|@");
    Metric force = add(metrics, "baseline.force.perSec", "1/s", samples.of(FORCE), Map.of());
    screen().line(rates.row(FORCE + ", 4 KiB", rate(force.value()), "", ""));
    Metric write =
        add(
            metrics,
            "baseline.sequentialWrite.bytesPerSec",
            "B/s",
            samples.of(SEQUENTIAL),
            Map.of());
    screen().line(rates.row(SEQUENTIAL, Figures.bytes(write.value()), "", ""));
    Map<String, Object> asyncParams = Map.of("threads", processors, "partitions", partitions);
    Metric async = add(metrics, "modes.async.txnPerSec", "txn/s", samples.of(ASYNC), asyncParams);
    screen()
        .line(rates.row(ASYNC + ", " + threads(processors, false), rate(async.value()), "", ""));
    add(
        metrics,
        "modes.cpuShare",
        "ratio",
        outcomes.getOrDefault(ASYNC, List.of()).stream()
            .skip(WARM_UPS)
            .mapToDouble(o -> o.cpuShare(processors))
            .toArray(),
        asyncParams);
    for (Durability durability : WAITED_FOR) {
      for (double interval : INTERVALS_MILLIS) {
        reportSplitPhase(samples, durability, interval, processors, false, metrics);
      }
      reportSplitPhase(
          samples, durability, VIRTUAL_INTERVAL_MILLIS, VIRTUAL_THREADS, true, metrics);
      for (int threads : SYNC_THREADS) {
        reportWaiting(samples, durability, threads, false, perForce, metrics);
      }
      reportWaiting(samples, durability, VIRTUAL_THREADS, true, perForce, metrics);
    }
    add(
        metrics,
        "modes.virtualSync.overAsync",
        "ratio",
        samples.ratios(mode(Durability.SYNC, VIRTUAL_THREADS, true), ASYNC),
        Map.of("threads", VIRTUAL_THREADS));
    Metric share =
        add(
            metrics,
            "modes.falseDependency.share",
            "ratio",
            dependent.stream().skip(WARM_UPS).mapToDouble(Double::doubleValue).toArray(),
            Map.of("threads", processors, "partitions", partitions));
    screen()
        .line(
            rates.row(
                "  dependent without need", "%.2f %%".formatted(share.value() * 100), "", ""));
    judgeNoise(metrics, FORCE, samples.of(FORCE));
  }

  private static double note(
      Map<String, List<ThreadTeam.Outcome>> outcomes, String name, ThreadTeam.Outcome outcome) {
    outcomes.computeIfAbsent(name, _ -> new ArrayList<>()).add(outcome);
    return outcome.perSecond();
  }

  private double splitPhase(
      SixWords words, Durability durability, int threads, boolean virtual, double intervalMillis)
      throws Exception {
    long intervalNanos = (long) (intervalMillis * 1e6);
    return words.splitPhase(durability, threads, virtual, roundNanos(), intervalNanos).perSecond();
  }

  private double waitingRound(
      SixWords words,
      Store store,
      Durability durability,
      int threads,
      boolean virtual,
      Map<String, List<Double>> commitsPerForce)
      throws Exception {
    long before = store.stats().forces();
    ThreadTeam.Outcome outcome = words.run(durability, threads, roundNanos(), virtual);
    double forces = store.stats().forces() - before;
    commitsPerForce
        .computeIfAbsent(mode(durability, threads, virtual), _ -> new ArrayList<>())
        .add(outcome.operations() / forces);
    return outcome.perSecond();
  }

  /** No commit depends on another thread's here, so any that counts as dependent does not. */
  private double apartRound(SixWords words, Store store, int threads, List<Double> dependentShares)
      throws Exception {
    StoreStats before = store.stats();
    double perSecond = words.runApart(Durability.PARTITION, threads, roundNanos()).perSecond();
    StoreStats after = store.stats();
    dependentShares.add(
        (double) (after.dependentCommits() - before.dependentCommits())
            / (after.commits() - before.commits()));
    return perSecond;
  }

  private void reportSplitPhase(
      Rounds.Samples samples,
      Durability durability,
      double intervalMillis,
      int threads,
      boolean virtual,
      MetricsRun metrics) {
    String name = splitPhase(durability, intervalMillis, virtual);
    Metric over =
        add(
            metrics,
            splitPhaseMetric(durability, virtual),
            "ratio",
            samples.ratios(name, ASYNC),
            Map.of("intervalMillis", intervalMillis, "threads", threads, "virtual", virtual));
    screen().line(rates.row(name, rate(median(samples.of(name))), ratio(over.value()), ""));
  }

  private void reportWaiting(
      Rounds.Samples samples,
      Durability durability,
      int threads,
      boolean virtual,
      Map<String, List<Double>> commitsPerForce,
      MetricsRun metrics) {
    String name = mode(durability, threads, virtual);
    String prefix = "modes." + durability.name().toLowerCase(Locale.ROOT);
    Map<String, Object> params = Map.of("threads", threads, "virtual", virtual);
    Metric perSecond = add(metrics, prefix + ".txnPerSec", "txn/s", samples.of(name), params);
    Metric perForce =
        add(
            metrics,
            prefix + ".commitsPerForce",
            "ratio",
            commitsPerForce.getOrDefault(name, List.of()).stream()
                .skip(WARM_UPS)
                .mapToDouble(Double::doubleValue)
                .toArray(),
            params);
    double overAsync = median(samples.ratios(name, ASYNC));
    screen()
        .line(rates.row(name, rate(perSecond.value()), ratio(overAsync), ratio(perForce.value())));
  }

  private static String splitPhaseMetric(Durability durability, boolean virtual) {
    boolean stable = durability == Durability.SYNC;
    if (virtual) {
      return stable ? "modes.virtualSplitPhase.overAsync" : "modes.virtualPartition.overAsync";
    }
    return stable ? "modes.splitPhase.overAsync" : "modes.partitionSplitPhase.overAsync";
  }

  private static String splitPhase(Durability durability, double intervalMillis, boolean virtual) {
    return "async, "
        + (durability == Durability.SYNC ? "stable" : "partition")
        + " every "
        + (intervalMillis < 1 ? "" + intervalMillis : "%.0f".formatted(intervalMillis))
        + " ms"
        + (virtual ? ", virtual" : "");
  }

  private static String mode(Durability durability, int threads, boolean virtual) {
    return durability.name().toLowerCase(Locale.ROOT) + ", " + threads(threads, virtual);
  }

  private static String threads(int threads, boolean virtual) {
    return threads + (virtual ? " virtual" : "") + (threads == 1 ? " thread" : " threads");
  }

  // ---- How long one commit takes.

  private void overRawForce(SixWords words, RawDisk disk, MetricsRun metrics) throws Exception {
    Rounds.Samples samples =
        new Rounds()
            .add(FORCE, () -> Latency.quantile(disk.forceNanos(LATENCY_BLOCK), 0.5))
            .add(
                SYNC,
                () -> Latency.quantile(words.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5))
            .run(LATENCY_WARM_UPS, LATENCY_ROUNDS, progress("latency"));
    compare("sync commit over raw force, 1 thread", SYNC, FORCE, samples);
    add(
        metrics,
        "modes.sync.overRawForce",
        "ratio",
        samples.ratios(SYNC, FORCE),
        Map.of("threads", 1));
    add(metrics, "modes.sync.medianMicros", "us", micros(samples.of(SYNC)), Map.of("threads", 1));
    add(metrics, "baseline.force.medianMicros", "us", micros(samples.of(FORCE)), Map.of());
    judgeNoise(metrics, FORCE, samples.of(FORCE));
  }

  /** Two stores alike but for the number of partitions; one thread commits to each in turn. */
  private void idlePartitions(Path folder, MetricsRun metrics) throws Exception {
    StoreOptions options = StoreOptions.defaults().maxSize(SixWords.maxSize(SMALL_HEAP_BYTES));
    try (Store one = Store.open(folder.resolve("one"), options.partitions(1));
        Store many = Store.open(folder.resolve("many"), options.partitions(MANY_PARTITIONS))) {
      SixWords onOne = SixWords.fill(one, SMALL_HEAP_BYTES);
      SixWords onMany = SixWords.fill(many, SMALL_HEAP_BYTES);
      Rounds.Samples samples =
          new Rounds()
              .add(
                  "one",
                  () -> Latency.quantile(onOne.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5))
              .add(
                  "many",
                  () -> Latency.quantile(onMany.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5))
              .run(LATENCY_WARM_UPS, LATENCY_ROUNDS, progress("idle partitions"));
      compare("sync commit, 63 idle partitions over none", "many", "one", samples);
      add(
          metrics,
          "modes.idlePartitions.latencyRatio",
          "ratio",
          samples.ratios("many", "one"),
          Map.of("partitions", MANY_PARTITIONS));
    }
  }

  private void compare(String what, String numerator, String denominator, Rounds.Samples samples) {
    screen()
        .line(
            latencies.row(
                what,
                nanos(median(samples.of(numerator))),
                nanos(median(samples.of(denominator))),
                ratio(median(samples.ratios(numerator, denominator)))));
  }

  private static double[] micros(double[] nanos) {
    return Arrays.stream(nanos).map(n -> n / 1e3).toArray();
  }

  /** Half the processors commit, so that the probe and the flusher have the others. */
  private void timeToStable(SixWords words, Store store, MetricsRun metrics) throws Exception {
    screen().status("  time to stable");
    int load = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    Histogram nanos = words.nanosToStable(load, rounds() * roundNanos());
    for (double quantile : QUANTILES) {
      long value = Latency.quantile(nanos, quantile);
      metrics.add(
          Metric.single(
              "modes.timeToStableMicros",
              "us",
              value / 1e3,
              Map.of("partitions", store.options().partitions(), "quantile", quantile)));
      screen()
          .line(
              latencies.row(
                  "async commit to stable, nobody asking, p%s".formatted(percent(quantile)),
                  nanos(value),
                  "",
                  ""));
    }
  }

  private static String percent(double quantile) {
    return quantile * 100 % 1 == 0
        ? "%.0f".formatted(quantile * 100)
        : "%.1f".formatted(quantile * 100);
  }
}
