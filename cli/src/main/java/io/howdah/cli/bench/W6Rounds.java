package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.StoreStats;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.crashtest.process.AtExit;
import io.howdah.jmh.workload.RawWords;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The subjects of W6 in one JVM, and their rounds. For one thread.
 *
 * <p>All commit through the path without garbage and read their words at once, but for one subject,
 * which does neither: what a program gets that asks for nothing.
 */
final class W6Rounds implements AutoCloseable {

  /** Rounds that do not count. */
  static final int WARM_UPS = 3;

  private static final String RAW = "raw words";
  private static final String VOLATILE = "volatile";
  private static final String WORD_BY_WORD = "volatile, word by word";

  private final BenchRun run;
  private final boolean nativeAccess;
  private final RawWords raw;
  private final List<Subject> subjects = new ArrayList<>();
  private final Deque<Store> open = new ArrayDeque<>();
  private final Table table =
      new Table()
          .figure("threads", 7)
          .text("subject", 22)
          .figure("per second", 10)
          .figure("of volatile", 11)
          .figure("of raw", 6)
          .figure("aborts/txn", 10)
          .figure("bytes/txn", 9);

  /**
   * One way to run the workload.
   *
   * @param name in the table
   * @param metric how its metrics begin
   * @param path primitive or lambda: how it calls the store
   * @param params of its metrics, apart from those that all have
   */
  private record Subject(
      String name,
      String metric,
      String path,
      Store store,
      Map<String, Object> params,
      SixWords.Style style,
      SixWords words) {}

  private W6Rounds(BenchRun run, RawWords raw, boolean nativeAccess) {
    this.run = run;
    this.raw = raw;
    this.nativeAccess = nativeAccess;
  }

  /**
   * Creates the stores in a folder and fills them.
   *
   * @param mostThreads that will measure: the store as published has a log for each
   */
  static W6Rounds fill(
      BenchRun run,
      Path folder,
      long heapBytes,
      StoreOptions options,
      int mostThreads,
      boolean nativeAccess)
      throws Exception {
    W6Rounds w6 = new W6Rounds(run, RawWords.create(heapBytes), nativeAccess);
    AtExit.close(w6);
    Store inMemory = w6.opened(Store.inMemory(options));
    SixWords words = SixWords.fill(inMemory, heapBytes);
    w6.add(VOLATILE, "w6.volatile", inMemory, Map.of(), SixWords.Style.AT_ONCE, words);
    w6.add(WORD_BY_WORD, "w6.wordByWord", inMemory, Map.of(), SixWords.Style.WORD_BY_WORD, words);
    int partitions = options.partitions();
    w6.addDurable(
        "async, %d partitions".formatted(partitions),
        "w6.async",
        Store.open(folder.resolve("partitioned"), options),
        heapBytes);
    w6.addDurable(
        "async, single log",
        "w6.async",
        Store.open(folder.resolve("single"), options.partitions(1)),
        heapBytes);
    w6.addDurable(
        "async, as published",
        "w6.asPublished",
        Store.open(folder.resolve("published"), options.asPublished(mostThreads)),
        heapBytes);
    return w6;
  }

  private Store opened(Store store) {
    open.push(store);
    return store;
  }

  private void addDurable(String name, String metric, Store store, long heapBytes) {
    opened(store);
    Map<String, Object> params = Map.of("partitions", store.options().partitions());
    add(name, metric, store, params, SixWords.Style.AT_ONCE, SixWords.fill(store, heapBytes));
  }

  private void add(
      String name,
      String metric,
      Store store,
      Map<String, Object> params,
      SixWords.Style style,
      SixWords words) {
    String path = style == SixWords.Style.AT_ONCE ? "primitive" : "lambda";
    subjects.add(new Subject(name, metric, path, store, params, style, words));
  }

  /** Runs all subjects in turns with so many threads. */
  void measure(int threads, MetricsRun metrics) throws Exception {
    Map<Subject, List<ThreadTeam.Outcome>> outcomes = new LinkedHashMap<>();
    Map<Subject, List<Long>> aborts = new LinkedHashMap<>();
    Map<Subject, List<Double>> dependent = new LinkedHashMap<>();
    Rounds rounds = new Rounds().add(RAW, () -> raw.perSecond(threads, run.roundNanos()));
    for (Subject subject : subjects) {
      List<ThreadTeam.Outcome> done = new ArrayList<>();
      List<Long> lost = new ArrayList<>();
      outcomes.put(subject, done);
      aborts.put(subject, lost);
      List<Double> shares = new ArrayList<>();
      dependent.put(subject, shares);
      rounds.add(
          subject.name(),
          () -> {
            StoreStats before = subject.store().stats();
            ThreadTeam.Outcome outcome =
                subject.words().run(Durability.ASYNC, subject.style(), threads, run.roundNanos());
            done.add(outcome);
            StoreStats after = subject.store().stats();
            lost.add(after.totalAborts() - before.totalAborts());
            double commits = Math.max(1, after.commits() - before.commits());
            shares.add((after.dependentCommits() - before.dependentCommits()) / commits);
            return outcome.perSecond();
          });
    }
    String team = threads + (threads == 1 ? " thread" : " threads");
    Rounds.Samples samples = rounds.run(WARM_UPS, run.rounds(), run.progress(team));
    run.screen().line("@|faint " + table.head() + "|@");
    run.screen().line("@|faint " + table.rule() + "|@");
    Map<String, Object> params = Map.of("threads", threads, "nativeAccess", nativeAccess);
    Metric perSecond =
        BenchRun.add(metrics, "baseline.rawSixWords.perSec", "1/s", samples.of(RAW), params);
    String[] head = {Integer.toString(threads), RAW, rate(perSecond.value()), "", "", "", ""};
    run.screen().line(table.row(head));
    for (Subject subject : subjects) {
      report(
          subject,
          samples,
          counted(outcomes.getOrDefault(subject, List.of())),
          counted(aborts.getOrDefault(subject, List.of())),
          counted(dependent.getOrDefault(subject, List.of())),
          params,
          metrics);
    }
    run.judgeNoise(metrics, RAW, samples.of(RAW));
  }

  private static <T> List<T> counted(List<T> all) {
    return all.subList(WARM_UPS, all.size());
  }

  private void report(
      Subject subject,
      Rounds.Samples samples,
      List<ThreadTeam.Outcome> outcomes,
      List<Long> aborts,
      List<Double> dependent,
      Map<String, Object> shared,
      MetricsRun metrics) {
    Map<String, Object> params = new LinkedHashMap<>(shared);
    params.putAll(subject.params());
    String name = subject.name();
    Metric perSecond =
        BenchRun.add(metrics, subject.metric() + ".txnPerSec", "txn/s", samples.of(name), params);
    double[] overRaw = samples.ratios(name, RAW);
    double[] overVolatile = samples.ratios(name, VOLATILE);
    if (name.equals(VOLATILE)) {
      BenchRun.add(metrics, "w6.volatile.overRaw", "ratio", overRaw, params);
    } else {
      boolean isSingleLog = Integer.valueOf(1).equals(params.get("partitions"));
      String ratio = isSingleLog ? ".singleLogOverVolatile" : ".overVolatile";
      BenchRun.add(metrics, subject.metric() + ratio, "ratio", overVolatile, params);
    }
    if (params.containsKey("partitions")) {
      // Two random words of so many are hardly ever the same: what depends does so by its orecs.
      double[] shares = dependent.stream().mapToDouble(Double::doubleValue).toArray();
      BenchRun.add(metrics, "w6.falseDependency.share", "ratio", shares, params);
    }
    double transactions = outcomes.stream().mapToLong(ThreadTeam.Outcome::operations).sum();
    double abortRate = aborts.stream().mapToLong(Long::longValue).sum() / transactions;
    params.put("path", subject.path());
    double[] bytes =
        outcomes.stream()
            .mapToDouble(o -> (double) o.allocatedBytes() / Math.max(1, o.operations()))
            .toArray();
    double[] cpuShares =
        outcomes.stream()
            .mapToDouble(o -> o.cpuShare(Runtime.getRuntime().availableProcessors()))
            .toArray();
    metrics.add(Metric.single("w6.aborts.perTxn", "ratio", abortRate, params));
    BenchRun.add(metrics, "w6.allocatedBytesPerTxn", "bytes", bytes, params);
    BenchRun.add(metrics, "w6.cpuShare", "ratio", cpuShares, params);
    run.screen()
        .line(
            table.row(
                "",
                name,
                rate(perSecond.value()),
                name.equals(VOLATILE) ? "" : ratio(BenchRun.median(overVolatile)),
                ratio(BenchRun.median(overRaw)),
                "%.4f".formatted(abortRate),
                "%.1f".formatted(BenchRun.median(bytes))));
  }

  /** Closes the stores, the newest first. */
  @Override
  public void close() {
    AtExit.forget(this);
    for (Store store = open.poll(); store != null; store = open.poll()) {
      store.close();
    }
    raw.close();
  }
}
