package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.workload.RawWords;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import io.howdah.txn.Store;
import io.howdah.txn.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench w6}: what durability costs. */
@Command(
    name = "w6",
    mixinStandardHelpOptions = true,
    description =
        "Transactions that read and write six random words: without a log, with one, and beside"
            + " them the same words without transactions. All take turns in one process; ratios are"
            + " medians of the ratios within a round.%n")
final class W6Command extends BenchRun {

  private static final int WARM_UPS = 3;
  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final int MAX_THREADS = 1024;
  private static final long MIB = 1 << 20;

  /** A little more than two cores were seen to log. */
  private static final long LOG_BYTES_PER_SECOND = 400_000_000;

  private static final String RAW = "raw words";
  private static final String VOLATILE = "volatile";

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,2",
      description = "Thread counts, one after the other (${DEFAULT-VALUE}).")
  private List<Integer> threadCounts;

  private final Table table =
      new Table()
          .figure("threads", 7)
          .text("subject", 22)
          .figure("per second", 10)
          .figure("of volatile", 11)
          .figure("of raw", 6)
          .figure("aborts/txn", 10)
          .figure("bytes/txn", 9);

  /** What ran in the rounds that count. */
  private final Map<String, List<ThreadTeam.Outcome>> outcomes = new LinkedHashMap<>();

  W6Command() {}

  @Override
  String commandName() {
    return "bench w6";
  }

  @Override
  long neededBytes() {
    long seconds =
        (long) threadCounts.size() * (rounds() + WARM_UPS) * roundNanos() / 1_000_000_000 + 1;
    return 2 * (seconds * LOG_BYTES_PER_SECOND + 2 * heapBytes());
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    for (int threads : threadCounts) {
      require("--threads", threads, 1, MAX_THREADS);
    }
    metrics.param("heapMiB", heapMib);
    StoreOptions options = StoreOptions.defaults().maxSize(SixWords.maxSize(heapBytes()));
    int partitions = options.partitions();
    Files.createDirectories(folder);
    screen().line("");
    screen()
        .line(
            "  @|bold W6:|@ six random words of %d MiB, read and written; %d rounds of %d ms"
                .formatted(heapMib, rounds(), roundNanos() / 1_000_000));
    screen().line("");
    screen().status("  filling four heaps");
    try (RawWords raw = RawWords.create(heapBytes());
        Store volatileStore = Store.inMemory(options);
        Store single = Store.open(folder.resolve("single"), options.partitions(1));
        Store partitioned = Store.open(folder.resolve("partitioned"), options)) {
      Subjects subjects =
          new Subjects(
              raw,
              subject(VOLATILE, volatileStore),
              List.of(
                  subject("async, %d partitions".formatted(partitions), partitioned),
                  subject("async, single log", single)));
      screen().line("@|faint " + table.head() + "|@");
      screen().line("@|faint " + table.rule() + "|@");
      for (int threads : threadCounts) {
        measure(subjects, threads, metrics);
      }
    }
    screen().line("");
  }

  private record Subject(String name, Store store, SixWords words, int partitions) {}

  private record Subjects(RawWords raw, Subject inMemory, List<Subject> durable) {}

  private Subject subject(String name, Store store) {
    return new Subject(
        name, store, SixWords.fill(store, heapBytes()), store.options().partitions());
  }

  private void measure(Subjects subjects, int threads, MetricsRun metrics) throws Exception {
    outcomes.clear();
    List<Subject> stores = new ArrayList<>();
    stores.add(subjects.inMemory());
    stores.addAll(subjects.durable());
    Map<String, Long> abortsBefore = new LinkedHashMap<>();
    Rounds rounds = new Rounds().add(RAW, () -> subjects.raw().perSecond(threads, roundNanos()));
    for (Subject subject : stores) {
      abortsBefore.put(subject.name(), subject.store().stats().totalAborts());
      rounds.add(
          subject.name(),
          () -> {
            ThreadTeam.Outcome outcome =
                subject.words().run(Durability.ASYNC, threads, roundNanos());
            outcomes.computeIfAbsent(subject.name(), _ -> new ArrayList<>()).add(outcome);
            return outcome.perSecond();
          });
    }
    Rounds.Samples samples =
        rounds.run(WARM_UPS, rounds(), progress(threads + (threads == 1 ? " thread" : " threads")));
    report(stores, samples, threads, abortsBefore, metrics);
  }

  private void report(
      List<Subject> stores,
      Rounds.Samples samples,
      int threads,
      Map<String, Long> abortsBefore,
      MetricsRun metrics) {
    Metric raw =
        add(
            metrics,
            "baseline.rawSixWords.perSec",
            "1/s",
            samples.of(RAW),
            Map.of("threads", threads));
    screen().line(table.row(Integer.toString(threads), RAW, rate(raw.value()), "", "", "", ""));
    for (Subject subject : stores) {
      boolean inMemory = subject.name().equals(VOLATILE);
      Map<String, Object> params =
          inMemory
              ? Map.of("threads", threads)
              : Map.of("threads", threads, "partitions", subject.partitions());
      Metric perSecond =
          add(
              metrics,
              inMemory ? "w6.volatile.txnPerSec" : "w6.async.txnPerSec",
              "txn/s",
              samples.of(subject.name()),
              params);
      double overVolatile = median(samples.ratios(subject.name(), VOLATILE));
      double overRaw = median(samples.ratios(subject.name(), RAW));
      if (inMemory) {
        add(
            metrics,
            "w6.volatile.overRaw",
            "ratio",
            samples.ratios(VOLATILE, RAW),
            Map.of("threads", threads, "nativeAccess", false));
      } else {
        add(
            metrics,
            subject.partitions() == 1 ? "w6.async.singleLogOverVolatile" : "w6.async.overVolatile",
            "ratio",
            samples.ratios(subject.name(), VOLATILE),
            params);
      }
      List<ThreadTeam.Outcome> all = outcomes.getOrDefault(subject.name(), List.of());
      List<ThreadTeam.Outcome> counted = all.subList(WARM_UPS, all.size());
      double operations = all.stream().mapToLong(ThreadTeam.Outcome::operations).sum();
      double aborts =
          (subject.store().stats().totalAborts() - abortsBefore.getOrDefault(subject.name(), 0L))
              / operations;
      Metric bytes =
          Metric.median(
              "w6.allocatedBytesPerTxn",
              "bytes",
              counted.stream()
                  .mapToDouble(o -> (double) o.allocatedBytes() / o.operations())
                  .toArray(),
              with(params, "path", "lambda"));
      metrics.add(Metric.single("w6.aborts.perTxn", "ratio", aborts, params));
      metrics.add(bytes);
      add(
          metrics,
          "w6.cpuShare",
          "ratio",
          counted.stream().mapToDouble(o -> o.cpuShare(processors())).toArray(),
          params);
      screen()
          .line(
              table.row(
                  "",
                  subject.name(),
                  rate(perSecond.value()),
                  inMemory ? "" : ratio(overVolatile),
                  ratio(overRaw),
                  "%.4f".formatted(aborts),
                  "%.0f".formatted(bytes.value())));
    }
    judgeNoise(metrics, RAW, samples.of(RAW));
  }

  private static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  private static Map<String, Object> with(Map<String, Object> params, String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(params);
    more.put(name, value);
    return more;
  }
}
