package io.howdah.jmh.study;

import io.howdah.CheckpointReport;
import io.howdah.LaboratoryStore;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.published.CheckpointScheme;
import io.howdah.jmh.workload.DirtyLines;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.RawWords;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** What checkpoints beside transactions cost and write. For one thread. */
public final class CheckpointStudy {

  /** How many threads commit. */
  public static final int THREADS = 2;

  private static final int WARM_UPS = 2;
  private static final long MIB = 1 << 20;
  private static final double TAIL = 0.999;
  private static final int PAGE_LINES = 64;
  private static final int[] SWEEP = {1, 2, 4, 8, 16, 24, 32, 40, 48, 52, 56, 58, 60, 64};

  private static final long SOAK_HEAP_BYTES = 64 * MIB;
  private static final Duration SOAK_GOAL = Duration.ofMillis(500);
  private static final int SHORT_SEGMENT_BYTES = 4 << 20;
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
  private static final String DUAL = "dual";

  private final Path folder;
  private final long heapBytes;
  private final Effort effort;
  private final StudyProgress progress;

  /**
   * What the note of changes costs, as a share, by round.
   *
   * @param cpu of a commit's processor time
   * @param elapsed of the time that passes
   */
  public record TrackingCost(List<Double> cpu, List<Double> elapsed) {}

  /**
   * What transactions notice of checkpoints without pause.
   *
   * @param raw words per second without transactions, by round
   * @param without transactions per second without checkpoints, by round
   * @param with transactions per second with them, by round
   * @param kept their ratios
   * @param tailRatios of the 99.9th percentiles of a transaction
   * @param abortsCaused by checkpoints beside one thread, which conflicts with nobody else
   * @param checkpoints taken beside the rounds
   * @param last of them, or null if there was none
   */
  public record Throughput(
      List<Double> raw,
      List<Double> without,
      List<Double> with,
      List<Double> kept,
      List<Double> tailRatios,
      long abortsCaused,
      int checkpoints,
      @Nullable CheckpointReport last) {}

  /**
   * What one checkpoint wrote, or would write.
   *
   * @param scheme "dual" for the store's own, else of a {@link CheckpointScheme}
   * @param pattern of the changes: sparse, dense, mixed or sweep
   * @param linesPerPage that changed in each page of a sweep, else 0
   * @param dirtyBytes that had changed
   * @param writtenBytes handed to write calls
   * @param report of the store's own checkpoint; null for a model's, which takes no time
   */
  public record Written(
      String scheme,
      String pattern,
      int linesPerPage,
      long dirtyBytes,
      long writtenBytes,
      @Nullable CheckpointReport report) {

    /** Returns bytes handed to write calls for each byte that had changed. */
    public double perDirtyByte() {
      return (double) writtenBytes / dirtyBytes;
    }
  }

  /**
   * Disk use under steady overwrite.
   *
   * @param diskBytes every half second
   * @param boundBytes that it must not exceed
   * @param writtenBytes of words
   * @param checkpoints taken meanwhile
   */
  public record Soak(
      List<Double> diskBytes, long boundBytes, long writtenBytes, long checkpoints) {}

  /**
   * Prepares the study.
   *
   * @param folder for the stores
   * @param heapBytes of data in each
   */
  public CheckpointStudy(Path folder, long heapBytes, Effort effort, StudyProgress progress) {
    this.folder = folder;
    this.heapBytes = heapBytes;
    this.effort = effort;
    this.progress = progress;
  }

  /** Returns how much room on disk the study may take. */
  public static long neededBytes(long heapBytes) {
    return 8 * heapBytes + (8L << 30);
  }

  // ---- What transactions notice.

  /**
   * Measures what the note of changes costs, in two stores that take no checkpoint meanwhile. One
   * of two stores in a process is a few percent faster for where its memory came to lie, so there
   * are several pairs, in each of which the other one is made first, and a figure is the geometric
   * mean over all. Run it first: what the compilers know of other transactions moves it more than
   * it is large.
   *
   * <p>What counts is the processor time of the threads that commit. Time that passes is also that
   * of forces and of segments being prepared, which the note has no part in, and moves ten times as
   * much; it is told beside.
   */
  public TrackingCost tracking() throws Exception {
    int rounds = TRACKING_ROUNDS * effort.rounds();
    double[] cpu = new double[rounds];
    double[] elapsed = new double[rounds];
    for (int pair = 0; pair < TRACKING_PAIRS; pair++) {
      Path stores = folder.resolve("tracking");
      trackingPair(stores, pair % 2 == 0, cpu, elapsed);
      Folders.delete(stores);
    }
    return new TrackingCost(costs(cpu), costs(elapsed));
  }

  private static List<Double> costs(double[] logarithms) {
    return Arrays.stream(logarithms).mapToObj(sum -> 1 - Math.exp(sum / TRACKING_PAIRS)).toList();
  }

  /** Adds, round by round, the logarithms of what the note leaves of a rate. */
  private void trackingPair(Path stores, boolean trackedFirst, double[] cpu, double[] elapsed)
      throws Exception {
    progress.begins("filling two heaps");
    Files.createDirectories(stores);
    // Short segments: a long one is prepared in a burst that hits one store's turn.
    StoreOptions tracked = options(LONGEST_GOAL).withLogSegmentBytes(SHORT_SEGMENT_BYTES);
    try (Store one = tracking(stores.resolve("one"), tracked, trackedFirst);
        Store other = tracking(stores.resolve("other"), tracked, !trackedFirst)) {
      Turns turns = new Turns(SixWords.fill(one, heapBytes));
      Turns otherTurns = new Turns(SixWords.fill(other, heapBytes));
      new Rounds()
          .mirrored()
          .add(trackedFirst ? WITHOUT : UNTRACKED, turns)
          .add(trackedFirst ? UNTRACKED : WITHOUT, otherTurns)
          .run(TRACKING_WARM_UPS, cpu.length, progress.rounds("what changes are noted"));
      int sign = trackedFirst ? 1 : -1;
      for (int i = 0; i < cpu.length; i++) {
        ThreadTeam.Outcome first = turns.outcomes.get(i + TRACKING_WARM_UPS);
        ThreadTeam.Outcome second = otherTurns.outcomes.get(i + TRACKING_WARM_UPS);
        cpu[i] += sign * Math.log(first.perCpuSecond() / second.perCpuSecond());
        elapsed[i] += sign * Math.log(first.perSecond() / second.perSecond());
      }
    }
  }

  private static Store tracking(Path path, StoreOptions options, boolean isTracked) {
    return isTracked ? Store.open(path, options) : LaboratoryStore.withoutMarks(path, options);
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
          words.run(Durability.ASYNC, THREADS, effort.roundNanos() / TRACKING_PART);
      words.transactions().next(Durability.SYNC);
      outcomes.add(outcome);
      return outcome.perCpuSecond();
    }
  }

  /** Measures transactions with and without checkpoints beside them. */
  public Throughput throughput(Duration recoveryGoal) throws Exception {
    progress.begins("filling two heaps");
    try (RawWords raw = RawWords.create(heapBytes);
        Store store = Store.open(folder.resolve("store"), options(recoveryGoal))) {
      SixWords words = SixWords.fill(store, heapBytes);
      store.admin().checkpoint();
      CheckpointLoop loop = new CheckpointLoop(store);
      Rounds.Samples samples =
          new Rounds()
              .add(RAW, () -> raw.perSecond(THREADS, effort.roundNanos()))
              .add(WITHOUT, () -> perSecond(words, THREADS))
              .add(WITH, () -> loop.during(() -> perSecond(words, THREADS)))
              .run(WARM_UPS, effort.rounds(), progress.rounds("two threads"));
      int checkpoints = loop.count();
      CheckpointReport last = loop.last();
      return new Throughput(
          samples.of(RAW),
          samples.of(WITHOUT),
          samples.of(WITH),
          samples.ratios(WITH, WITHOUT),
          tailRatios(words, loop),
          aborts(store, words, loop),
          checkpoints,
          last);
    }
  }

  private StoreOptions options(Duration recoveryGoal) {
    return StoreOptions.defaults()
        .withMaxSize(SixWords.maxSize(heapBytes))
        .withRecoveryGoal(recoveryGoal);
  }

  private double perSecond(SixWords words, int threads) throws Exception {
    return words.run(Durability.ASYNC, threads, effort.roundNanos()).perSecond();
  }

  private List<Double> tailRatios(SixWords words, CheckpointLoop loop) throws Exception {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.max(3, effort.rounds() / 3); round++) {
      double without = tail(words);
      double with = loop.during(() -> tail(words));
      ratios.add(with / without);
    }
    return ratios;
  }

  private double tail(SixWords words) throws Exception {
    Histogram[] nanos = new Histogram[THREADS];
    ThreadTeam.run(
        THREADS,
        effort.roundNanos(),
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
    return (double) Latency.quantile(all, TAIL);
  }

  /** One thread alone conflicts with nobody: what is aborted then, a checkpoint has aborted. */
  private long aborts(Store store, SixWords words, CheckpointLoop loop) throws Exception {
    long before = store.admin().stats().totalAborts();
    loop.during(() -> perSecond(words, 1));
    return store.admin().stats().totalAborts() - before;
  }

  // ---- What checkpoints write.

  /**
   * Takes a checkpoint after each pattern of changes, and counts what other schemes would write for
   * the same.
   */
  public void writtenBytes(Consumer<Written> found) throws IOException {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(DirtyLines.maxSize(heapBytes))
            .withRecoveryGoal(LONGEST_GOAL);
    try (Store store = Store.open(folder.resolve("lines"), options)) {
      DirtyLines lines = DirtyLines.create(store, heapBytes);
      int pages = lines.pages();
      long onePercent = (long) pages * PAGE_LINES / 100;
      lines.sparse(onePercent);
      store.admin().checkpoint();
      written(store, "sparse", 0, pages, lines.sparse(onePercent), found);
      int swept = pages / 2 / SWEEP.length;
      for (int i = 0; i < SWEEP.length; i++) {
        BitSet dirty = lines.perPage(pages / 4 + i * swept, swept, SWEEP[i]);
        written(store, "sweep", SWEEP[i], pages, dirty, found);
      }
      int dense = pages / 8;
      for (int i = 0; i < 2; i++) {
        // A page that was dense before is dense again: the second time it is not compared.
        lines.dense(0, dense);
        store.admin().checkpoint();
      }
      written(store, "dense", 0, pages, lines.dense(0, dense), found);
      BitSet mixed = lines.dense(0, dense / 8);
      mixed.or(lines.perPage(pages - dense, dense, 1));
      written(store, "mixed", 0, pages, mixed, found);
    }
  }

  private void written(
      Store store,
      String pattern,
      int linesPerPage,
      int pages,
      BitSet dirty,
      Consumer<Written> found) {
    progress.begins("checkpoint: " + pattern);
    long dirtyBytes = (long) dirty.cardinality() * DirtyLines.LINE_BYTES;
    CheckpointReport report = store.admin().checkpoint();
    found.accept(
        new Written(DUAL, pattern, linesPerPage, dirtyBytes, report.writtenBytes(), report));
    for (CheckpointScheme scheme : CheckpointScheme.values()) {
      long bytes = scheme.writtenBytes(dirty, pages);
      found.accept(new Written(scheme.text(), pattern, linesPerPage, dirtyBytes, bytes, null));
    }
  }

  // ---- Disk use under steady overwrite.

  /** Overwrites words while it watches what the store occupies. */
  public Soak soak(Duration length) throws Exception {
    Path soak = folder.resolve("soak");
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(SixWords.maxSize(SOAK_HEAP_BYTES))
            .withRecoveryGoal(SOAK_GOAL)
            .withLogSegmentBytes(SHORT_SEGMENT_BYTES);
    // Image and journal; the log that the goal allows, and as much again while a checkpoint that is
    // late catches up; segments in use, prepared, and kept to be used again.
    long logBytes = SOAK_GOAL.toMillis() * REPLAY_BYTES_PER_SECOND / 1000;
    long bound = 2 * options.maxSize() + 2 * logBytes + 10L * SHORT_SEGMENT_BYTES;
    List<Double> diskBytes = new ArrayList<>();
    try (Store store = Store.open(soak, options)) {
      SixWords words = SixWords.fill(store, SOAK_HEAP_BYTES);
      long before = store.admin().stats().lsn();
      long deadline = System.nanoTime() + length.toNanos();
      while (System.nanoTime() - deadline < 0) {
        progress.begins("overwriting");
        words.run(Durability.ASYNC, THREADS, SOAK_SAMPLE_NANOS);
        diskBytes.add((double) DiskUsage.bytes(soak));
      }
      long written = (store.admin().stats().lsn() - before) * SixWords.WORDS * Long.BYTES;
      return new Soak(diskBytes, bound, written, store.admin().checkpointStats().taken());
    }
  }
}
