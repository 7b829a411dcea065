package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.workload.Quantiles;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import io.howdah.txn.Store;
import io.howdah.txn.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final int[] SYNC_THREADS = {1, 2, 8};
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

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "256",
      description = "Size of the data in the store (${DEFAULT-VALUE}).")
  private int heapMib;

  private final Table rates =
      new Table()
          .text("subject", 28)
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
    long rounds = (rounds() + WARM_UPS) * (INTERVALS_MILLIS.length + 3L);
    return rounds * roundNanos() / 1_000_000_000 * LOG_BYTES_PER_SECOND + 4 * heapBytes();
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("heapMiB", heapMib);
    StoreOptions options = StoreOptions.defaults().maxSize(SixWords.maxSize(heapBytes()));
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
      long intervalNanos = (long) (interval * 1e6);
      rounds.add(
          splitPhase(interval),
          () ->
              note(
                  outcomes,
                  splitPhase(interval),
                  words.splitPhase(processors, roundNanos(), intervalNanos)));
    }
    for (int threads : SYNC_THREADS) {
      rounds.add(sync(threads, false), () -> syncRound(words, store, threads, false, perForce));
    }
    rounds.add(
        sync(VIRTUAL_THREADS, true),
        () -> syncRound(words, store, VIRTUAL_THREADS, true, perForce));
    Rounds.Samples samples = rounds.run(WARM_UPS, rounds(), progress("commits"));

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
    for (double interval : INTERVALS_MILLIS) {
      Metric over =
          add(
              metrics,
              "modes.splitPhase.overAsync",
              "ratio",
              samples.ratios(splitPhase(interval), ASYNC),
              Map.of("intervalMillis", interval, "threads", processors));
      double perSecond = median(samples.of(splitPhase(interval)));
      screen().line(rates.row(splitPhase(interval), rate(perSecond), ratio(over.value()), ""));
    }
    for (int threads : SYNC_THREADS) {
      reportSync(samples, threads, false, perForce, metrics);
    }
    reportSync(samples, VIRTUAL_THREADS, true, perForce, metrics);
    add(
        metrics,
        "modes.virtualSync.overAsync",
        "ratio",
        samples.ratios(sync(VIRTUAL_THREADS, true), ASYNC),
        Map.of("threads", VIRTUAL_THREADS));
    judgeNoise(metrics, FORCE, samples.of(FORCE));
  }

  private static double note(
      Map<String, List<ThreadTeam.Outcome>> outcomes, String name, ThreadTeam.Outcome outcome) {
    outcomes.computeIfAbsent(name, _ -> new ArrayList<>()).add(outcome);
    return outcome.perSecond();
  }

  private double syncRound(
      SixWords words,
      Store store,
      int threads,
      boolean virtual,
      Map<String, List<Double>> commitsPerForce)
      throws Exception {
    long before = store.stats().forces();
    ThreadTeam.Outcome outcome = words.run(Durability.SYNC, threads, roundNanos(), virtual);
    double forces = store.stats().forces() - before;
    commitsPerForce
        .computeIfAbsent(sync(threads, virtual), _ -> new ArrayList<>())
        .add(outcome.operations() / forces);
    return outcome.perSecond();
  }

  private void reportSync(
      Rounds.Samples samples,
      int threads,
      boolean virtual,
      Map<String, List<Double>> commitsPerForce,
      MetricsRun metrics) {
    String name = sync(threads, virtual);
    Map<String, Object> params = Map.of("threads", threads, "virtual", virtual);
    Metric perSecond = add(metrics, "modes.sync.txnPerSec", "txn/s", samples.of(name), params);
    Metric perForce =
        add(
            metrics,
            "modes.sync.commitsPerForce",
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

  private static String splitPhase(double intervalMillis) {
    return "async, stable every "
        + (intervalMillis < 1 ? "" + intervalMillis : "%.0f".formatted(intervalMillis))
        + " ms";
  }

  private static String sync(int threads, boolean virtual) {
    return SYNC + ", " + threads(threads, virtual);
  }

  private static String threads(int threads, boolean virtual) {
    return threads + (virtual ? " virtual" : "") + (threads == 1 ? " thread" : " threads");
  }

  // ---- How long one commit takes.

  private void overRawForce(SixWords words, RawDisk disk, MetricsRun metrics) throws Exception {
    Rounds.Samples samples =
        new Rounds()
            .add(FORCE, () -> Quantiles.of(disk.forceNanos(LATENCY_BLOCK), 0.5))
            .add(SYNC, () -> Quantiles.of(words.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5))
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
                  "one", () -> Quantiles.of(onOne.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5))
              .add(
                  "many",
                  () -> Quantiles.of(onMany.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5))
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
    long[] nanos = words.nanosToStable(load, rounds() * roundNanos());
    for (double quantile : QUANTILES) {
      long value = Quantiles.of(nanos, quantile);
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
