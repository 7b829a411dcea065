package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.CheckpointReport;
import io.howdah.CheckpointScheme;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.DiskUsage;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.workload.DirtyLines;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.RawWords;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench checkpoint}: what checkpoints beside transactions cost and write. */
@Command(
    name = "checkpoint",
    mixinStandardHelpOptions = true,
    description =
        "Runs transactions of six random words with and without a checkpoint beside them, with and"
            + " without the note of what they change, and counts the bytes that checkpoints hand to"
            + " write calls for different patterns of changes.%n")
final class CheckpointCommand extends BenchRun {

  private static final int WARM_UPS = 2;
  private static final int THREADS = 2;
  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final int LEAST_HEAP_MIB = 64;
  private static final long MIB = 1 << 20;
  private static final double TAIL = 0.999;
  private static final int PAGE_LINES = 64;
  private static final int[] SWEEP = {1, 2, 4, 8, 16, 24, 32, 40, 48, 52, 56, 58, 60, 64};

  private static final long SOAK_HEAP_BYTES = 64 * MIB;
  private static final Duration SOAK_GOAL = Duration.ofMillis(500);
  private static final int SOAK_SEGMENT_BYTES = 4 << 20;
  private static final long SOAK_SAMPLE_NANOS = 500_000_000;

  /** What a recovery goal counts with. */
  private static final long REPLAY_BYTES_PER_SECOND = 200 * MIB;

  /** The effect is small: it takes more rounds, which then are shorter. */
  private static final int TRACKING_ROUNDS = 6;

  private static final int TRACKING_PAIRS = 4;

  private static final int TRACKING_PART = 8;
  private static final int TRACKING_WARM_UPS = 8;

  /** Nothing is checkpointed while only the note of changes is measured. */
  private static final Duration LONGEST_GOAL = Duration.ofHours(1);

  private static final String RAW = "raw words";
  private static final String WITHOUT = "no checkpoint";
  private static final String WITH = "checkpoints";
  private static final String UNTRACKED = "changes not noted";

  private static final List<CheckpointScheme> SCHEMES =
      List.of(
          CheckpointScheme.DUAL,
          CheckpointScheme.PAGES,
          CheckpointScheme.LINES,
          CheckpointScheme.TRANSACTIONAL);

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "512",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--recovery-goal-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "What the store with checkpoints is told (${DEFAULT-VALUE}).")
  private int goalSeconds;

  @Option(
      names = "--soak-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long words are overwritten while disk use is watched (${DEFAULT-VALUE}).")
  private int soakSeconds;

  private final Table table = new Table().text("", 40).figure("", 12).text("", 50);

  CheckpointCommand() {}

  @Override
  String commandName() {
    return "bench checkpoint";
  }

  @Override
  long neededBytes() {
    return 8 * heapBytes() + (8L << 30);
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, LEAST_HEAP_MIB, MAX_HEAP_MIB) * MIB;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("heapMiB", heapMib).param("recoveryGoalSeconds", goalSeconds);
    metrics.param("threads", THREADS);
    Files.createDirectories(folder);
    screen().line("");
    // First: what the compilers know of other transactions moves it more than it is large.
    tracking(folder, metrics);
    throughput(folder, metrics);
    screen().line("");
    writtenBytes(folder, metrics);
    screen().line("");
    soak(folder.resolve("soak"), metrics);
    screen().line("");
  }

  // ---- What transactions notice.

  private void throughput(Path folder, MetricsRun metrics) throws Exception {
    screen().status("  filling two heaps");
    StoreOptions options =
        options(Duration.ofSeconds(require("--recovery-goal-seconds", goalSeconds, 1, 3600)));
    try (RawWords raw = RawWords.create(heapBytes());
        Store store = Store.open(folder.resolve("store"), options)) {
      SixWords words = SixWords.fill(store, heapBytes());
      store.checkpoint();
      Loop loop = new Loop(store);
      Rounds rounds =
          new Rounds()
              .add(RAW, () -> raw.perSecond(THREADS, roundNanos()))
              .add(WITHOUT, () -> perSecond(words, THREADS))
              .add(WITH, () -> loop.during(() -> perSecond(words, THREADS)));
      Rounds.Samples samples = rounds.run(WARM_UPS, rounds(), progress("two threads"));
      report(samples, loop, metrics);
      tails(words, loop, metrics);
      aborts(store, words, loop, metrics);
    }
  }

  private StoreOptions options(Duration recoveryGoal) {
    return StoreOptions.defaults()
        .maxSize(SixWords.maxSize(heapBytes()))
        .recoveryGoal(recoveryGoal);
  }

  /**
   * Measures what the note of changes costs, in two stores that take no checkpoint meanwhile. One
   * of two stores in a process is a few percent faster for where its memory came to lie, so there
   * are several pairs, in each of which the other one is made first, and a figure is the geometric
   * mean over all.
   *
   * <p>What counts is the processor time of the threads that commit. Time that passes is also that
   * of forces and of segments being prepared, which the note has no part in, and moves ten times as
   * much; it is told beside.
   */
  private void tracking(Path folder, MetricsRun metrics) throws Exception {
    int rounds = TRACKING_ROUNDS * rounds();
    double[] cpu = new double[rounds];
    double[] elapsed = new double[rounds];
    for (int pair = 0; pair < TRACKING_PAIRS; pair++) {
      Path stores = folder.resolve("tracking");
      trackingPair(stores, pair % 2 == 0, cpu, elapsed);
      Folders.delete(stores);
    }
    Map<String, Object> params = Map.of("threads", THREADS);
    double[] costs = costs(cpu);
    double[] elapsedCosts = costs(elapsed);
    Metric cost = add(metrics, "checkpoint.trackingCost", "ratio", costs, params);
    Metric elapsedCost =
        add(metrics, "checkpoint.trackingCost.elapsed", "ratio", elapsedCosts, params);
    line(
        "the note of changes costs",
        "%.1f %%".formatted(100 * cost.value()),
        "of a commit's processor time; half of the rounds " + middle(costs));
    line(
        "  in time that passes",
        "%.1f %%".formatted(100 * elapsedCost.value()),
        "half of the rounds " + middle(elapsedCosts));
  }

  private static double[] costs(double[] logarithms) {
    return Arrays.stream(logarithms).map(sum -> 1 - Math.exp(sum / TRACKING_PAIRS)).toArray();
  }

  private static String middle(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int quarter = sorted.length / 4;
    return "%.1f %% to %.1f %%"
        .formatted(100 * sorted[quarter], 100 * sorted[sorted.length - 1 - quarter]);
  }

  /** Adds, round by round, the logarithms of what the note leaves of a rate. */
  private void trackingPair(Path folder, boolean trackedFirst, double[] cpu, double[] elapsed)
      throws Exception {
    screen().status("  filling two heaps");
    Files.createDirectories(folder);
    // Short segments: a long one is prepared in a burst that hits one store's turn.
    StoreOptions tracked = options(LONGEST_GOAL).logSegmentBytes(SOAK_SEGMENT_BYTES);
    StoreOptions untracked = tracked.checkpointScheme(CheckpointScheme.NONE);
    try (Store one = Store.open(folder.resolve("one"), trackedFirst ? tracked : untracked);
        Store other = Store.open(folder.resolve("other"), trackedFirst ? untracked : tracked)) {
      Turns turns = new Turns(SixWords.fill(one, heapBytes()));
      Turns otherTurns = new Turns(SixWords.fill(other, heapBytes()));
      new Rounds()
          .mirrored()
          .add(trackedFirst ? WITHOUT : UNTRACKED, turns)
          .add(trackedFirst ? UNTRACKED : WITHOUT, otherTurns)
          .run(TRACKING_WARM_UPS, cpu.length, progress("what changes are noted"));
      int sign = trackedFirst ? 1 : -1;
      for (int i = 0; i < cpu.length; i++) {
        ThreadTeam.Outcome first = turns.outcomes.get(i + TRACKING_WARM_UPS);
        ThreadTeam.Outcome second = otherTurns.outcomes.get(i + TRACKING_WARM_UPS);
        cpu[i] += sign * Math.log(first.perCpuSecond() / second.perCpuSecond());
        elapsed[i] += sign * Math.log(first.perSecond() / second.perSecond());
      }
    }
  }

  /** A store's turns; each ends when all is durable, or the next store's would pay for forces. */
  private final class Turns implements Rounds.Measurement {
    private final SixWords words;
    private final List<ThreadTeam.Outcome> outcomes = new ArrayList<>();

    Turns(SixWords words) {
      this.words = words;
    }

    @Override
    public double run() throws Exception {
      ThreadTeam.Outcome outcome =
          words.run(Durability.ASYNC, THREADS, roundNanos() / TRACKING_PART);
      words.transactions().next(Durability.SYNC);
      outcomes.add(outcome);
      return outcome.perCpuSecond();
    }
  }

  private double perSecond(SixWords words, int threads) throws Exception {
    return words.run(Durability.ASYNC, threads, roundNanos()).perSecond();
  }

  private void report(Rounds.Samples samples, Loop loop, MetricsRun metrics) {
    Map<String, Object> params = Map.of("threads", THREADS, "scheme", "dual");
    Metric kept =
        add(metrics, "checkpoint.throughputKept", "ratio", samples.ratios(WITH, WITHOUT), params);
    add(metrics, "baseline.rawSixWords.perSec", "1/s", samples.of(RAW), Map.of("threads", THREADS));
    judgeNoise(metrics, RAW, samples.of(RAW));
    line(
        "transactions/s without checkpoints",
        rate(median(samples.of(WITHOUT))),
        "six random words, %d threads, async".formatted(THREADS));
    line(
        "transactions/s, checkpoints without pause",
        rate(median(samples.of(WITH))),
        "kept %s; %d checkpoints".formatted(ratio(kept.value()), loop.count));
    CheckpointReport last = loop.last;
    if (last != null) {
      line(
          "  the last of them",
          nanos(last.took().toNanos()),
          "%d pages, %s written".formatted(last.dirtyPages(), bytes((double) last.writtenBytes())));
    }
  }

  private void tails(SixWords words, Loop loop, MetricsRun metrics) throws Exception {
    double[] ratios = new double[Math.max(3, rounds() / 3)];
    for (int round = 0; round < ratios.length; round++) {
      long without = tail(words);
      double with = loop.during(() -> tail(words));
      ratios[round] = with / without;
    }
    Metric tail =
        add(
            metrics,
            "checkpoint.p999.ratio",
            "ratio",
            ratios,
            Map.of("threads", THREADS, "scheme", "dual"));
    line("p99.9 of a transaction", ratio(tail.value()), "of that without checkpoints");
  }

  private long tail(SixWords words) throws Exception {
    Histogram[] nanos = new Histogram[THREADS];
    ThreadTeam.run(
        THREADS,
        roundNanos(),
        thread -> {
          SixWords.Transactions transactions = words.transactions();
          Histogram own = Latency.histogram();
          nanos[thread] = own;
          return stop -> {
            while (!stop.isSet()) {
              long begin = System.nanoTime();
              transactions.next(Durability.ASYNC);
              own.recordValue(System.nanoTime() - begin);
            }
            return own.getTotalCount();
          };
        });
    Histogram all = Latency.histogram();
    Arrays.stream(nanos).forEach(all::add);
    return Latency.quantile(all, TAIL);
  }

  /** One thread alone conflicts with nobody: what is aborted then, a checkpoint has aborted. */
  private void aborts(Store store, SixWords words, Loop loop, MetricsRun metrics) throws Exception {
    long before = store.stats().totalAborts();
    loop.during(() -> perSecond(words, 1));
    long aborts = store.stats().totalAborts() - before;
    metrics.add(
        Metric.single(
            "checkpoint.abortsCaused",
            "count",
            (double) aborts,
            Map.of("threads", 1, "scheme", "dual")));
    line("aborts caused", Long.toString(aborts), "one thread and checkpoints without pause");
  }

  /** Takes checkpoints without pause while something is measured. */
  private static final class Loop {

    private final Store store;
    private int count;
    private @Nullable CheckpointReport last;

    Loop(Store store) {
      this.store = store;
    }

    double during(Rounds.Measurement measurement) throws Exception {
      AtomicBoolean stop = new AtomicBoolean();
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Thread thread =
          Thread.ofPlatform()
              .name("checkpoints")
              .start(
                  () -> {
                    try {
                      while (!stop.get()) {
                        last = store.checkpoint();
                        count++;
                      }
                    } catch (Throwable t) {
                      failure.set(t);
                    }
                  });
      double result;
      try {
        result = measurement.run();
      } finally {
        stop.set(true);
        thread.join();
      }
      Throwable thrown = failure.get();
      if (thrown != null) {
        throw new IllegalStateException("a checkpoint failed", thrown);
      }
      return result;
    }
  }

  // ---- What checkpoints write.

  private void writtenBytes(Path folder, MetricsRun metrics) throws Exception {
    for (CheckpointScheme scheme : SCHEMES) {
      // The paper's writes all of it each time, whatever changed.
      long bytes = scheme == CheckpointScheme.TRANSACTIONAL ? heapBytes() / 4 : heapBytes();
      StoreOptions options =
          StoreOptions.defaults()
              .maxSize(DirtyLines.maxSize(bytes))
              .recoveryGoal(Duration.ofHours(1))
              .checkpointScheme(scheme);
      try (Store store = Store.open(folder.resolve("lines-" + name(scheme)), options)) {
        DirtyLines lines = DirtyLines.create(store, bytes);
        int pages = lines.pages();
        long onePercent = (long) pages * PAGE_LINES / 100;
        lines.sparse(onePercent);
        store.checkpoint();
        written(metrics, store, scheme, "sparse", lines.sparse(onePercent));
        if (scheme != CheckpointScheme.TRANSACTIONAL) {
          sweep(metrics, store, scheme, lines);
        }
        int dense = pages / 8;
        for (int i = 0; i < 2; i++) {
          // A page that was dense before is dense again: the second time nobody looks at it.
          lines.dense(0, dense);
          store.checkpoint();
        }
        written(metrics, store, scheme, "dense", lines.dense(0, dense));
        long mixed = lines.dense(0, dense / 8) + lines.perPage(pages - dense, dense, 1);
        written(metrics, store, scheme, "mixed", mixed);
      }
    }
  }

  private void sweep(MetricsRun metrics, Store store, CheckpointScheme scheme, DirtyLines lines) {
    int pages = lines.pages() / 2 / SWEEP.length;
    for (int i = 0; i < SWEEP.length; i++) {
      screen().status("  %s: %d lines per page".formatted(name(scheme), SWEEP[i]));
      long dirty = lines.perPage(lines.pages() / 4 + i * pages, pages, SWEEP[i]);
      CheckpointReport report = store.checkpoint();
      double perByte = (double) report.writtenBytes() / dirty;
      metrics.add(
          Metric.single(
              "checkpoint.bytesPerDirtyByte",
              "ratio",
              perByte,
              Map.of("scheme", name(scheme), "pattern", "sweep", "dirtyLinesPerPage", SWEEP[i])));
      line(
          "%s, %d lines per page".formatted(name(scheme), SWEEP[i]),
          ratio(perByte),
          "%s; took %s".formatted(bytes((double) dirty), nanos(report.took().toNanos())));
    }
  }

  private void written(
      MetricsRun metrics, Store store, CheckpointScheme scheme, String pattern, long dirtyBytes) {
    screen().status("  %s: %s".formatted(name(scheme), pattern));
    CheckpointReport report = store.checkpoint();
    double perByte = (double) report.writtenBytes() / dirtyBytes;
    metrics.add(
        Metric.single(
            "checkpoint.bytesPerDirtyByte",
            "ratio",
            perByte,
            Map.of("scheme", name(scheme), "pattern", pattern)));
    metrics.add(
        Metric.single(
            "checkpoint.millis",
            "ms",
            report.took().toNanos() / 1e6,
            Map.of("scheme", name(scheme), "pattern", pattern)));
    line(
        "%s, %s: bytes per dirty byte".formatted(name(scheme), pattern),
        ratio(perByte),
        "%s dirty in %d pages, %d whole; took %s"
            .formatted(
                bytes((double) dirtyBytes),
                report.dirtyPages(),
                report.wholePages(),
                nanos(report.took().toNanos())));
  }

  // ---- Disk use under steady overwrite.

  private void soak(Path folder, MetricsRun metrics) throws Exception {
    long heap = SOAK_HEAP_BYTES;
    StoreOptions options =
        StoreOptions.defaults()
            .maxSize(SixWords.maxSize(heap))
            .recoveryGoal(SOAK_GOAL)
            .logSegmentBytes(SOAK_SEGMENT_BYTES);
    // Image and journal; the log that the goal allows, and as much again while a checkpoint that is
    // late catches up; segments in use, prepared, and kept to be used again.
    long logBytes = SOAK_GOAL.toMillis() * REPLAY_BYTES_PER_SECOND / 1000;
    long bound = 2 * options.maxSize() + 2 * logBytes + 10L * SOAK_SEGMENT_BYTES;
    List<Double> curve = new ArrayList<>();
    long written;
    long checkpoints;
    try (Store store = Store.open(folder, options)) {
      SixWords words = SixWords.fill(store, heap);
      long before = store.stats().lsn();
      long deadline = System.nanoTime() + soakSeconds * 1_000_000_000L;
      while (System.nanoTime() - deadline < 0) {
        screen().status("  overwriting");
        words.run(Durability.ASYNC, THREADS, SOAK_SAMPLE_NANOS);
        curve.add((double) DiskUsage.bytes(folder));
      }
      written = (store.stats().lsn() - before) * SixWords.WORDS * Long.BYTES;
      checkpoints = store.checkpointStats().taken();
    }
    double most = curve.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    metrics.add(Metric.single("checkpoint.soak.diskBytesMax", "bytes", most, Map.of()));
    metrics.add(Metric.single("checkpoint.soak.diskBytesBound", "bytes", (double) bound, Map.of()));
    metrics.add(
        Metric.median(
            "checkpoint.soak.diskBytes",
            "bytes",
            curve.stream().mapToDouble(Double::doubleValue).toArray(),
            Map.of()));
    line(
        "disk use while overwriting",
        bytes(most),
        "bound %s; %d s, %s of words, %d checkpoints"
            .formatted(bytes((double) bound), soakSeconds, bytes((double) written), checkpoints));
    line("  every half second, MiB", "", curve(curve));
    if (most > bound) {
      metrics.violation("disk use " + most + " is above its bound " + bound);
    }
  }

  private static String curve(List<Double> bytes) {
    StringBuilder text = new StringBuilder();
    for (double value : bytes) {
      text.append(Math.round(value / MIB)).append(' ');
    }
    return text.toString().strip();
  }

  private static String name(CheckpointScheme scheme) {
    return switch (scheme) {
      case PAGES -> "page";
      case LINES -> "line";
      case TRANSACTIONAL -> "stm";
      case DUAL, NONE -> scheme.name().toLowerCase(Locale.ROOT);
    };
  }

  private void line(String what, String figure, String remark) {
    screen().line(table.row(what, figure, remark));
  }
}
