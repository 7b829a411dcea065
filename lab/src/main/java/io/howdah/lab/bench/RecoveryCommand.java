package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.StoreOptions;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.KilledStore.Opening;
import io.howdah.jmh.study.RecoveryStudy;
import io.howdah.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
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

  private static final List<Double> REGION_GIB = List.of(0.25, 1.0, 2.0);
  private static final int TAIL_MILLION_WORDS = 24;

  /** What a sparse region holds. */
  private static final double SPARSE_DATA_GIB = 0.0625;

  /** A log of a gibibyte. */
  private static final int FULL_TAIL_MILLION_WORDS = 51;

  private static final double FULL_GIB = 4;

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

  @Option(
      names = "--after-kill",
      description =
          "Measures, instead of all this, openings after a kill alone, with the memory of the"
              + " killed process and without it. --rounds is the number of kills.")
  private boolean afterKill;

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
    RecoveryStudy study =
        new RecoveryStudy(
            folder.resolve("store"), rounds(), tailWords(), ChildJvm::runAndKill, this);
    screen().line("");
    screen()
        .line(
            "  @|bold Recovery:|@ opening a store; a killed one's log holds %d M words"
                .formatted(tailMillionWords()));
    screen().line("");
    if (full && afterKill) {
      throw usage("give either --full or --after-kill");
    }
    metrics.param("afterKill", afterKill);
    if (full) {
      for (double gib : regionGib()) {
        recoverInFull(study, gib, metrics);
        study.delete();
      }
    } else if (afterKill) {
      for (double gib : regionGib()) {
        openInBoth(study, gib, metrics);
        study.delete();
      }
    } else {
      create(study, metrics);
      for (double gib : regionGib()) {
        open(study, gib, metrics);
        study.delete();
      }
      StoreOptions options = study.fill(SPARSE_DATA_GIB, sparseGib);
      section("%.2f GiB, mostly empty".formatted(sparseGib));
      openClean(study, options, sparseGib, metrics);
      study.delete();
    }
    screen().line("");
  }

  private void requireSize(String option, double gib) {
    // The negation refuses NaN too.
    if (!(gib > 0 && gib <= MAX_GIB)) {
      throw usage(option + " must be above 0 and at most " + MAX_GIB + ": " + gib);
    }
  }

  private void open(RecoveryStudy study, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    StoreOptions options = study.fill(gib);
    section("%.2f GiB of data".formatted(gib));
    openClean(study, options, gib, metrics);
    loadImage(study, options, gib, metrics);
    boolean isFirst = gib == regionGib().getFirst();
    openAfterKill(study.openAfterKill(options, !isFirst), gib, metrics);
    openWithMemory(study.openWithMemory(options, !isFirst), gib, metrics);
    if (isFirst) {
      openWithinGoal(study, options, gib, metrics);
    }
    if (gib == regionGib().getLast()) {
      readRanges(study, options, gib, metrics);
    }
  }

  private void section(String title) {
    screen().line("  @|bold " + title + "|@");
  }

  private void row(String what, String figure, String remark) {
    screen().line(table.row(what, figure, remark));
  }

  private void create(RecoveryStudy study, MetricsRun metrics)
      throws IOException, InterruptedException {
    RecoveryStudy.Creations creations = study.create();
    section("Nothing");
    Metric create = add(metrics, "recovery.createMillis", "ms", creations.millis(), Map.of());
    row("create a store", nanos(create.value() * 1e6), range(create));
    Metric empty = add(metrics, "recovery.emptyStoreMiB", "MiB", creations.mebibytes(), Map.of());
    row("an empty store, open, on disk", bytes(empty.value() * (1 << 20)), "");
  }

  private void openClean(
      RecoveryStudy study, StoreOptions options, double gib, MetricsRun metrics) {
    Map<String, Object> params = Map.of("regionGiB", gib);
    Metric open = add(metrics, "recovery.openCleanMillis", "ms", study.openClean(options), params);
    row("open after a close, image mapped", nanos(open.value() * 1e6), range(open));
  }

  private void loadImage(RecoveryStudy study, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    RecoveryStudy.ImageLoads loads = study.loadImage(options);
    Map<String, Object> params = Map.of("regionGiB", gib);
    Metric rate = add(metrics, "recovery.bytesPerSec", "B/s", loads.bytesPerSecond(), params);
    Metric over = add(metrics, "recovery.overRawRead", "ratio", loads.overRaw(), params);
    List<Double> raw = loads.rawBytesPerSecond();
    add(metrics, "baseline.sequentialRead.bytesPerSec", "B/s", raw, params);
    row(
        "load the image (resident backing)",
        bytes(rate.value()) + "/s",
        ratio(over.value()) + " of reading that file raw");
    List<Double> touch = loads.touchBytesPerSecond();
    add(metrics, "baseline.firstTouch.bytesPerSec", "B/s", touch, params);
    Metric overBoth =
        add(metrics, "recovery.imageOverReadAndTouch", "ratio", loads.overReadAndTouch(), params);
    row("... over reading and first touch", ratio(overBoth.value()), range("", overBoth));
    judgeNoise(metrics, "reading the image raw", raw);
    judgeNoise(metrics, "first touch of memory", touch);
  }

  /** Openings in both kinds of memory, and how long it took to prepare them. */
  private void openInBoth(RecoveryStudy study, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    StoreOptions options = study.fill(gib);
    double filled = (System.nanoTime() - begin) / 1e9;
    section("%.2f GiB of data".formatted(gib));
    RecoveryStudy.BothOpenings openings = study.openInBoth(options);
    Map<String, Object> params = Map.of("regionGiB", gib);
    openWithMemory(openings.shared(), gib, metrics);
    openMapped(openings.mapped(), params, metrics);
    Metric setUp = add(metrics, "recovery.setUpSeconds", "s", openings.setUpSeconds(), params);
    row(
        "to commit what the log holds",
        nanos(setUp.value() * 1e9),
        "and %s to fill the store".formatted(nanos(filled * 1e9)));
  }

  /** Openings that do not find the memory of the process before. */
  private void openMapped(List<Opening> mapped, Map<String, Object> params, MetricsRun metrics) {
    time("open after a kill, image mapped", "open", mapped, Opening::openNanos, params, metrics);
    time(
        "... and the first durable commit done",
        "firstTxn",
        mapped,
        Opening::firstNanos,
        params,
        metrics);
    time(
        "... and one of six random words",
        "firstRandomTxn",
        mapped,
        Opening::firstWordsNanos,
        params,
        metrics);
    time(
        "... and all of the log in memory", "replayed", mapped, Opening::allNanos, params, metrics);
  }

  /** A row with a time that openings after a kill have taken. */
  private void time(
      String what,
      String name,
      List<Opening> openings,
      ToLongFunction<Opening> nanos,
      Map<String, Object> params,
      MetricsRun metrics) {
    Metric metric =
        add(metrics, "recovery." + name + "AfterKillMillis", "ms", millis(openings, nanos), params);
    row(what, nanos(metric.value() * 1e6), range(metric));
  }

  /** A row with words per second and processor. */
  private void words(
      String what,
      String name,
      List<Double> perSecond,
      String remark,
      Map<String, Object> params,
      MetricsRun metrics) {
    Metric words = add(metrics, "recovery." + name, "1/s", perSecond, params);
    row(
        what,
        rate(words.value()) + "/s",
        "%s to %s per core, %s".formatted(rate(words.min()), rate(words.max()), remark));
  }

  private void openAfterKill(
      RecoveryStudy.KilledOpenings openings, double gib, MetricsRun metrics) {
    List<Opening> mapped = openings.mapped();
    List<Opening> resident = openings.resident();
    Map<String, Object> params = Map.of("regionGiB", gib);
    openMapped(mapped, params, metrics);
    words(
        "replay of random words, image mapped",
        "mapped.replayWordsPerSec",
        figures(mapped, Opening::wordsPerSecond),
        "with reading the log and a page fault for each page",
        params,
        metrics);
    words(
        "replay of random words, image resident",
        "resident.replayWordsPerSec",
        figures(resident, Opening::wordsPerSecond),
        "with reading the log",
        params,
        metrics);
    words(
        "... beyond reading the log raw",
        "replayWordsPerSec",
        figures(resident, Opening::wordsPerSecondBeyondReading),
        "without reading the log",
        params,
        metrics);
    overStores("mapped", openings.mappedStores(), openings.mappedOverStores(), params, metrics);
    overStores(
        "resident", openings.residentStores(), openings.residentOverStores(), params, metrics);
  }

  private void openWithMemory(List<Opening> openings, double gib, MetricsRun metrics) {
    Map<String, Object> params = Map.of("regionGiB", gib);
    time(
        "first durable commit after a kill, shared",
        "shared.firstTxn",
        openings,
        Opening::firstNanos,
        params,
        metrics);
    time(
        "... and one of six random words",
        "shared.firstRandomTxn",
        openings,
        Opening::firstWordsNanos,
        params,
        metrics);
    long attached =
        openings.stream()
            .filter(opening -> opening.report().memory() instanceof MemoryOrigin.Attached)
            .count();
    Metric share =
        add(
            metrics,
            "recovery.shared.attached",
            "ratio",
            List.of(attached / (double) openings.size()),
            params);
    row("... openings that found their memory", ratio(share.value()), "of all");
  }

  private void overStores(
      String backing,
      List<Double> stores,
      List<Double> ratios,
      Map<String, Object> params,
      MetricsRun metrics) {
    Map<String, Object> all = new HashMap<>(params);
    all.put("backing", backing);
    add(metrics, "baseline.randomStores.perSec", "1/s", stores, all);
    Metric over = add(metrics, "recovery.replay.overRandomStores", "ratio", ratios, all);
    row(
        "... over random stores, image " + backing,
        ratio(over.value()),
        range("of both processors' stores, ", over));
    judgeNoise(metrics, "random stores, image " + backing, stores);
  }

  private static String range(String what, Metric ratio) {
    return "%s%.2f to %.2f".formatted(what, ratio.min(), ratio.max());
  }

  private void openWithinGoal(
      RecoveryStudy study, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    List<Opening> openings = study.openWithinGoal(options);
    double bar = Math.max(RecoveryStudy.GOAL.toMillis(), FIRST_TXN_MILLIS);
    Map<String, Object> params =
        Map.of("regionGiB", gib, "goalMillis", RecoveryStudy.GOAL.toMillis());
    List<Double> first = millis(openings, Opening::firstNanos);
    Metric millis = add(metrics, "recovery.goal.firstTxnAfterKillMillis", "ms", first, params);
    List<Double> over = first.stream().map(value -> value / bar).toList();
    Metric ratio = add(metrics, "recovery.goal.firstTxnOverBar", "ratio", over, params);
    row(
        "first durable commit after a kill, goal %d ms".formatted(RecoveryStudy.GOAL.toMillis()),
        nanos(millis.value() * 1e6),
        "%s of it, %s".formatted(ratio(ratio.value()), range(millis)));
  }

  private void readRanges(RecoveryStudy study, StoreOptions options, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    List<Opening> openings = study.readRanges(options);
    Metric over =
        add(
            metrics,
            "recovery.logReadOverRaw",
            "ratio",
            figures(openings, Opening::readOverRaw),
            Map.of("regionGiB", gib));
    row("reading a log of 64 KiB ranges", ratio(over.value()), "of reading the log raw");
  }

  private void recoverInFull(RecoveryStudy study, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    StoreOptions options = study.fill(gib);
    section("All of %.2f GiB and a log of %d M words".formatted(gib, tailMillionWords()));
    RecoveryStudy.FullRecoveries recoveries = study.recoverInFull(options);
    Map<String, Object> params = Map.of("regionGiB", gib, "logGiB", median(recoveries.logGib()));
    List<Double> raws = recoveries.rawBytesPerSecond();
    add(metrics, "baseline.sequentialRead.bytesPerSec", "B/s", raws, params);
    Metric took = add(metrics, "recovery.full.seconds", "s", recoveries.seconds(), params);
    Metric bar = add(metrics, "recovery.full.barSeconds", "s", recoveries.barSeconds(), params);
    Metric over = add(metrics, "recovery.full.overBar", "ratio", recoveries.overBar(), params);
    row("open, and all of the log in memory", nanos(took.value() * 1e9), range(took, 1e9));
    row(
        "... may take, at 0.6 of raw reading and 20 M words",
        nanos(bar.value() * 1e9),
        range(bar, 1e9));
    row("... takes of that", ratio(over.value()), "%.2f to %.2f".formatted(over.min(), over.max()));
    judgeNoise(metrics, "reading image and log raw", raws);
  }

  private static List<Double> figures(List<Opening> openings, ToDoubleFunction<Opening> figure) {
    return openings.stream().mapToDouble(figure).boxed().toList();
  }

  private static List<Double> millis(List<Opening> openings, ToLongFunction<Opening> nanos) {
    return openings.stream().map(opening -> nanos.applyAsLong(opening) / 1e6).toList();
  }

  private static String range(Metric metric) {
    return range(metric, 1e6);
  }

  private static String range(Metric metric, double nanos) {
    return "%s to %s".formatted(nanos(metric.min() * nanos), nanos(metric.max() * nanos));
  }
}
