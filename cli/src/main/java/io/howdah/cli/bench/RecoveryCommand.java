package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.checkpoint.recovery.RecoveryReport;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.core.Backing;
import io.howdah.crashtest.process.ChildJvm;
import io.howdah.jmh.study.DiskUsage;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.KilledStore;
import io.howdah.jmh.study.KilledStore.Opening;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.RedoTail;
import io.howdah.jmh.workload.SixWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench recovery}: how long a store takes to open, whatever happened before. */
@Command(
    name = "recovery",
    mixinStandardHelpOptions = true,
    description =
        "Opens stores that were just created, closed, or killed with a log to replay, and compares"
            + " reading the image and the log to reading the same files raw. All files are read"
            + " past the page cache; a hypervisor may still have them in its own.%n")
final class RecoveryCommand extends BenchRun {

  private static final double GIB = 1L << 30;
  private static final double MAX_GIB = 1024;
  private static final int MAX_TAIL_MILLION_WORDS = 10_000;

  /** Each takes a child JVM that fills a log, and a close that writes the whole image anew. */
  private static final int MAX_KILLS = 2;

  /** A goal is measured more often: how long the log is depends on when the kill comes. */
  private static final int MAX_GOAL_KILLS = 3;

  private static final int MAX_LOADS = 4;

  /** Of one killed store, in turns with others that map it. */
  private static final int RESIDENT_OPENINGS = 3;

  private static final int MAPPED_OPENINGS = 2;

  private static final List<Double> REGION_GIB = List.of(0.25, 1.0, 2.0);
  private static final int TAIL_MILLION_WORDS = 24;

  /** What a sparse region holds. */
  private static final double SPARSE_DATA_GIB = 0.0625;

  /** A log of a gibibyte. */
  private static final int FULL_TAIL_MILLION_WORDS = 51;

  /** Of the commits that run with checkpoints beside them, of all that a log otherwise holds. */
  private static final int GOAL_SHARE = 3;

  private static final double FULL_GIB = 4;
  private static final int FULL_OPENINGS = 5;
  private static final double FULL_SHARE_OF_RAW = 0.6;
  private static final double FULL_WORDS_PER_SECOND = 20e6;

  /** Far shorter than the default, and than reading the log that one run of commits leaves. */
  private static final Duration GOAL = Duration.ofMillis(500);

  /** What the first commit may take whatever the goal. */
  private static final long FIRST_TXN_MILLIS = 150;

  @Option(
      names = "--region-gib",
      paramLabel = "N",
      split = ",",
      description = "Sizes of the data (0.25,1,2; with --full 4).")
  private @Nullable List<Double> regionGib;

  @Option(
      names = "--sparse-gib",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "Size of a region, mostly empty, that is opened after a close (${DEFAULT-VALUE}).")
  private double sparseGib;

  @Option(
      names = "--tail-million-words",
      paramLabel = "N",
      description = "How many words the log of a killed store holds (24; with --full 51).")
  private @Nullable Integer tailMillionWords;

  @Option(
      names = "--full",
      description =
          "Measures, instead of all this, how long a resident region takes to recover in full,"
              + " beside what reading its image and log raw takes.")
  private boolean full;

  private final Table table = new Table().text("", 46).figure("", 12).text("", 40);

  RecoveryCommand() {}

  @Override
  String commandName() {
    return "bench recovery";
  }

  @Override
  long neededBytes() {
    double largest = 0;
    for (double gib : regionGib()) {
      largest = Math.max(largest, gib);
    }
    return (long) (3 * largest * GIB) + 2_000_000_000;
  }

  private List<Double> regionGib() {
    List<Double> given = regionGib;
    if (given == null) {
      return full ? List.of(FULL_GIB) : REGION_GIB;
    }
    return given;
  }

  private int tailMillionWords() {
    Integer given = tailMillionWords;
    if (given == null) {
      return full ? FULL_TAIL_MILLION_WORDS : TAIL_MILLION_WORDS;
    }
    return require("--tail-million-words", given, 1, MAX_TAIL_MILLION_WORDS);
  }

  private long tailWords() {
    return tailMillionWords() * 1_000_000L;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    for (double gib : regionGib()) {
      requireSize("--region-gib", gib);
    }
    requireSize("--sparse-gib", sparseGib);
    metrics.param("tailMillionWords", tailMillionWords()).param("full", full);
    Files.createDirectories(folder);
    Path store = folder.resolve("store");
    screen().line("");
    screen()
        .line(
            "  @|bold Recovery:|@ opening a store; a killed one's log holds %d M words"
                .formatted(tailMillionWords()));
    screen().line("");
    if (full) {
      for (double gib : regionGib()) {
        recoverInFull(store, gib, metrics);
        Folders.delete(store);
      }
    } else {
      create(folder, metrics);
      for (double gib : regionGib()) {
        open(store, gib, metrics);
        Folders.delete(store);
      }
      openSparse(store, metrics);
      Folders.delete(store);
    }
    screen().line("");
  }

  private void requireSize(String option, double gib) {
    // The negation refuses NaN too.
    if (!(gib > 0 && gib <= MAX_GIB)) {
      throw usage(option + " must be above 0 and at most " + MAX_GIB + ": " + gib);
    }
  }

  private void open(Path store, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    StoreOptions options = fill(store, gib);
    section("%.2f GiB of data".formatted(gib));
    openClean(store, options, gib, metrics);
    loadImage(store, options, gib, metrics);
    openAfterKill(store, options, gib, metrics);
    if (gib == regionGib().getFirst()) {
      openWithinGoal(store, options, gib, metrics);
    }
    if (gib == regionGib().getLast()) {
      readRanges(store, options, gib, metrics);
    }
  }

  private StoreOptions fill(Path store, double gib) {
    long bytes = (long) (gib * GIB);
    StoreOptions options = StoreOptions.defaults().maxSize(SixWords.maxSize(bytes));
    screen().status("  filling %.2f GiB".formatted(gib));
    try (Store filled = Store.open(store, options)) {
      SixWords.fill(filled, bytes);
    }
    return options;
  }

  /** Opens a region most of which was never written to. */
  private void openSparse(Path store, MetricsRun metrics) {
    StoreOptions options =
        StoreOptions.defaults().maxSize(SixWords.maxSize((long) (sparseGib * GIB)));
    try (Store filled = Store.open(store, options)) {
      SixWords.fill(filled, (long) (SPARSE_DATA_GIB * GIB));
    }
    section("%.2f GiB, mostly empty".formatted(sparseGib));
    openClean(store, options, sparseGib, metrics);
  }

  private void section(String title) {
    screen().line("  @|bold " + title + "|@");
  }

  private void row(String what, String figure, String remark) {
    screen().line(table.row(what, figure, remark));
  }

  private void create(Path folder, MetricsRun metrics) throws Exception {
    double[] millis = new double[rounds()];
    double[] mebibytes = new double[rounds()];
    for (int i = 0; i < rounds(); i++) {
      Path store = folder.resolve("new-" + i);
      long begin = System.nanoTime();
      try (Store created = Store.open(store, StoreOptions.defaults())) {
        millis[i] = (System.nanoTime() - begin) / 1e6;
        mebibytes[i] = DiskUsage.bytes(store) / (double) (1 << 20);
        created.run(tx -> tx.root(0, 0));
      }
      Folders.delete(store);
    }
    section("Nothing");
    Metric create = add(metrics, "recovery.createMillis", "ms", millis, Map.of());
    row("create a store", nanos(create.value() * 1e6), range(create));
    Metric empty = add(metrics, "recovery.emptyStoreMiB", "MiB", mebibytes, Map.of());
    row("an empty store, open, on disk", bytes(empty.value() * (1 << 20)), "");
  }

  private void openClean(Path store, StoreOptions options, double gib, MetricsRun metrics) {
    double[] millis = new double[rounds()];
    for (int i = 0; i < rounds(); i++) {
      screen().status("  opening after a close");
      long begin = System.nanoTime();
      try (Store opened = Store.open(store, options)) {
        millis[i] = (System.nanoTime() - begin) / 1e6;
        requireFilled(opened);
      }
    }
    Metric open = add(metrics, "recovery.openCleanMillis", "ms", millis, Map.of("regionGiB", gib));
    row("open after a close, image mapped", nanos(open.value() * 1e6), range(open));
  }

  private static void requireFilled(Store store) {
    if (store.read(tx -> tx.root(0)) == 0) {
      throw new IllegalStateException("the store has lost its data");
    }
  }

  /** Loads the image and reads the same file raw, in turns. */
  private void loadImage(Path store, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException {
    Path image = store.resolve("image");
    int rounds = Math.min(rounds(), MAX_LOADS);
    double[] loaded = new double[rounds];
    double[] raw = new double[rounds];
    double[] ratios = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      screen().status("  loading the image");
      raw[i] = RawDisk.sequentialReadBytesPerSecond(List.of(image));
      try (Store opened = Store.open(store, options.backing(Backing.RESIDENT))) {
        requireFilled(opened);
        RecoveryReport report = opened.recoveryReport();
        loaded[i] = Files.size(image) * 1e9 / report.durations().image();
        ratios[i] = loaded[i] / raw[i];
      }
    }
    Map<String, Object> params = Map.of("regionGiB", gib);
    Metric rate = add(metrics, "recovery.bytesPerSec", "B/s", loaded, params);
    Metric over = add(metrics, "recovery.overRawRead", "ratio", ratios, params);
    add(metrics, "baseline.sequentialRead.bytesPerSec", "B/s", raw, params);
    row(
        "load the image (resident backing)",
        bytes(rate.value()) + "/s",
        ratio(over.value()) + " of reading that file raw");
    judgeNoise(metrics, "raw read", raw);
  }

  /**
   * Opens what a killed process has left: first as it is by default, then with the region's pages
   * there before the log is read.
   */
  private void openAfterKill(Path folder, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, ChildJvm::runAndKill);
    List<Opening> mapped = new ArrayList<>();
    List<Opening> resident = new ArrayList<>();
    // A larger region takes long to write, and one kill serves several openings.
    int kills = gib == regionGib().getFirst() ? Math.min(rounds(), MAX_KILLS) : 1;
    for (int kill = 0; kill < kills; kill++) {
      screen().status("  leaving a log of words, %d of %d".formatted(kill + 1, kills));
      store.kill(options.maxSize(), RedoTail.Kind.WORDS, tailWords(), KilledStore.NO_GOAL);
      screen().status("  opening after a kill, %d of %d".formatted(kill + 1, kills));
      for (int i = 0; i < RESIDENT_OPENINGS - 1; i++) {
        if (i < MAPPED_OPENINGS) {
          mapped.add(store.openAndKeep(options));
        }
        resident.add(store.openAndKeep(options.backing(Backing.RESIDENT)));
      }
      resident.add(store.open(options.backing(Backing.RESIDENT)));
    }
    mapped.forEach(this::requireReplayed);
    resident.forEach(this::requireReplayed);
    Map<String, Object> params = Map.of("regionGiB", gib);
    Metric open =
        add(
            metrics,
            "recovery.openAfterKillMillis",
            "ms",
            millis(mapped, Opening::openNanos),
            params);
    row("open after a kill, image mapped", nanos(open.value() * 1e6), range(open));
    Metric first =
        add(
            metrics,
            "recovery.firstTxnAfterKillMillis",
            "ms",
            millis(mapped, Opening::firstNanos),
            params);
    row("... and the first durable commit done", nanos(first.value() * 1e6), range(first));
    Metric all =
        add(
            metrics,
            "recovery.replayedAfterKillMillis",
            "ms",
            millis(mapped, Opening::allNanos),
            params);
    row("... and all of the log in memory", nanos(all.value() * 1e6), range(all));
    Metric mappedWords =
        add(
            metrics,
            "recovery.mapped.replayWordsPerSec",
            "1/s",
            figures(mapped, Opening::wordsPerSecond),
            params);
    row(
        "replay of random words, image mapped",
        rate(mappedWords.value()) + "/s",
        "words per core, with reading the log and a page fault for each page");
    Metric residentWords =
        add(
            metrics,
            "recovery.resident.replayWordsPerSec",
            "1/s",
            figures(resident, Opening::wordsPerSecond),
            params);
    row(
        "replay of random words, image resident",
        rate(residentWords.value()) + "/s",
        "words per core, with reading the log");
    Metric words =
        add(
            metrics,
            "recovery.replayWordsPerSec",
            "1/s",
            figures(resident, Opening::wordsPerSecondBeyondReading),
            params);
    row(
        "... beyond reading the log raw",
        rate(words.value()) + "/s",
        "%s to %s".formatted(rate(words.min()), rate(words.max())));
  }

  /** Opens what is left of a process that took checkpoints as often as its goal asked for. */
  private void openWithinGoal(Path folder, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, ChildJvm::runAndKill);
    List<Opening> openings = new ArrayList<>();
    int kills = Math.min(rounds(), MAX_GOAL_KILLS);
    for (int kill = 0; kill < kills; kill++) {
      screen().status("  committing with checkpoints, %d of %d".formatted(kill + 1, kills));
      store.kill(options.maxSize(), RedoTail.Kind.WORDS, tailWords() / GOAL_SHARE, GOAL);
      openings.add(store.open(options));
    }
    double bar = Math.max(GOAL.toMillis(), FIRST_TXN_MILLIS);
    Map<String, Object> params = Map.of("regionGiB", gib, "goalMillis", GOAL.toMillis());
    double[] first = millis(openings, Opening::firstNanos);
    Metric millis = add(metrics, "recovery.goal.firstTxnAfterKillMillis", "ms", first, params);
    double[] over = Arrays.stream(first).map(value -> value / bar).toArray();
    Metric ratio = add(metrics, "recovery.goal.firstTxnOverBar", "ratio", over, params);
    row(
        "first durable commit after a kill, goal %d ms".formatted(GOAL.toMillis()),
        nanos(millis.value() * 1e6),
        "%s of it, %s".formatted(ratio(ratio.value()), range(millis)));
  }

  private void readRanges(Path folder, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, ChildJvm::runAndKill);
    screen().status("  leaving a log of ranges");
    store.kill(options.maxSize(), RedoTail.Kind.RANGES, tailWords(), KilledStore.NO_GOAL);
    List<Opening> openings = new ArrayList<>();
    for (int i = 0; i < Math.min(rounds(), MAX_LOADS); i++) {
      openings.add(store.openAndKeep(options));
    }
    openings.forEach(this::requireReplayed);
    Metric over =
        add(
            metrics,
            "recovery.logReadOverRaw",
            "ratio",
            figures(openings, Opening::readOverRaw),
            Map.of("regionGiB", gib));
    row("reading a log of 64 KiB ranges", ratio(over.value()), "of reading the log raw");
  }

  /**
   * Recovers a whole region and a long log, until all of it is in memory, and compares that to what
   * reading as many bytes raw and replaying as many words may take.
   */
  private void recoverInFull(Path folder, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    StoreOptions options = fill(folder, gib);
    KilledStore store = new KilledStore(folder, ChildJvm::runAndKill);
    screen().status("  leaving a log of words");
    store.kill(options.maxSize(), RedoTail.Kind.WORDS, tailWords(), KilledStore.NO_GOAL);
    section("All of %.2f GiB and a log of %d M words".formatted(gib, tailMillionWords()));
    int rounds = Math.min(rounds(), FULL_OPENINGS);
    double[] seconds = new double[rounds];
    double[] bars = new double[rounds];
    double[] ratios = new double[rounds];
    double[] raws = new double[rounds];
    double[] logGib = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      screen().status("  recovering, %d of %d".formatted(i + 1, rounds));
      raws[i] = RawDisk.sequentialReadBytesPerSecond(store.imageAndLog());
      Opening opening = store.openAndKeep(options.backing(Backing.RESIDENT));
      requireReplayed(opening);
      long logBytes = opening.report().counts().scannedBytes();
      double bytes = Files.size(store.image()) + (double) logBytes;
      int processors = Runtime.getRuntime().availableProcessors();
      bars[i] =
          bytes / (FULL_SHARE_OF_RAW * raws[i])
              + opening.words() / (processors * FULL_WORDS_PER_SECOND);
      seconds[i] = opening.allNanos() / 1e9;
      ratios[i] = seconds[i] / bars[i];
      logGib[i] = logBytes / GIB;
    }
    Map<String, Object> params = Map.of("regionGiB", gib, "logGiB", median(logGib));
    add(metrics, "baseline.sequentialRead.bytesPerSec", "B/s", raws, params);
    Metric took = add(metrics, "recovery.full.seconds", "s", seconds, params);
    Metric bar = add(metrics, "recovery.full.barSeconds", "s", bars, params);
    Metric over = add(metrics, "recovery.full.overBar", "ratio", ratios, params);
    row("open, and all of the log in memory", nanos(took.value() * 1e9), range(took, 1e9));
    row(
        "... may take, at 0.6 of raw reading and 20 M words",
        nanos(bar.value() * 1e9),
        range(bar, 1e9));
    row("... takes of that", ratio(over.value()), "%.2f to %.2f".formatted(over.min(), over.max()));
    judgeNoise(metrics, "raw read", raws);
  }

  private static double[] figures(List<Opening> openings, ToDoubleFunction<Opening> figure) {
    return openings.stream().mapToDouble(figure).toArray();
  }

  private static double[] millis(List<Opening> openings, ToLongFunction<Opening> nanos) {
    return openings.stream().mapToDouble(opening -> nanos.applyAsLong(opening) / 1e6).toArray();
  }

  private void requireReplayed(Opening opening) {
    if (opening.words() < tailWords()) {
      throw new IllegalStateException(
          "the killed store had %d words to replay, but replayed %s"
              .formatted(tailWords(), opening.report()));
    }
  }

  private static String range(Metric metric) {
    return range(metric, 1e6);
  }

  private static String range(Metric metric, double nanos) {
    return "%s to %s".formatted(nanos(metric.min() * nanos), nanos(metric.max() * nanos));
  }
}
