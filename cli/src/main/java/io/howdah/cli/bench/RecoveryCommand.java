package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.checkpoint.recovery.RecoveryReport;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.run.ChildJvm;
import io.howdah.cli.run.Folders;
import io.howdah.cli.terminal.Table;
import io.howdah.core.Backing;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.RedoTail;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
import io.howdah.txn.ReplayStats;
import io.howdah.txn.Store;
import io.howdah.txn.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
  private static final int MAX_KILLS = 3;

  private static final int CHILD_POLL_MILLIS = 5;
  private static final long CHILD_TIMEOUT_NANOS = 300_000_000_000L;

  @Option(
      names = "--region-gib",
      paramLabel = "N",
      split = ",",
      defaultValue = "0.25,1,2",
      description = "Sizes of the data (${DEFAULT-VALUE}).")
  private List<Double> regionGib;

  @Option(
      names = "--tail-million-words",
      paramLabel = "N",
      defaultValue = "24",
      description = "How many words the log of a killed store holds (${DEFAULT-VALUE}).")
  private int tailMillionWords;

  private final Table table = new Table().text("", 46).figure("", 12).text("", 40);

  RecoveryCommand() {}

  @Override
  String commandName() {
    return "bench recovery";
  }

  @Override
  long neededBytes() {
    double largest = 0;
    for (double gib : regionGib) {
      largest = Math.max(largest, gib);
    }
    return (long) (3 * largest * GIB) + 2_000_000_000;
  }

  private long tailWords() {
    return require("--tail-million-words", tailMillionWords, 1, MAX_TAIL_MILLION_WORDS)
        * 1_000_000L;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    for (double gib : regionGib) {
      // The negation refuses NaN too.
      if (!(gib > 0 && gib <= MAX_GIB)) {
        throw usage("--region-gib must be above 0 and at most " + MAX_GIB + ": " + gib);
      }
    }
    metrics.param("tailMillionWords", tailMillionWords);
    Files.createDirectories(folder);
    screen().line("");
    screen()
        .line(
            "  @|bold Recovery:|@ opening a store, %d times in each case; a killed store's log holds %d M words"
                .formatted(rounds(), tailMillionWords));
    screen().line("");
    create(folder, metrics);
    for (double gib : regionGib) {
      Path store = folder.resolve("store");
      long bytes = (long) (gib * GIB);
      StoreOptions options = StoreOptions.defaults().maxSize(SixWords.maxSize(bytes));
      screen().status("  filling %.2f GiB".formatted(gib));
      try (Store filled = Store.open(store, options)) {
        SixWords.fill(filled, bytes);
      }
      section("%.2f GiB of data".formatted(gib));
      openClean(store, options, gib, metrics);
      loadImage(store, options, gib, metrics);
      openAfterKill(store, options, RedoTail.Kind.WORDS, gib, metrics);
      if (gib == regionGib.getLast()) {
        openAfterKill(store, options, RedoTail.Kind.RANGES, gib, metrics);
      }
      Folders.delete(store);
    }
    screen().line("");
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
    double[] loaded = new double[rounds()];
    double[] raw = new double[rounds()];
    double[] ratios = new double[rounds()];
    for (int i = 0; i < rounds(); i++) {
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

  private void openAfterKill(
      Path store, StoreOptions options, RedoTail.Kind kind, double gib, MetricsRun metrics)
      throws IOException, InterruptedException {
    int rounds = Math.min(rounds(), MAX_KILLS);
    double[] millis = new double[rounds];
    double[] first = new double[rounds];
    double[] replayed = new double[rounds];
    double[] wordsPerSecond = new double[rounds];
    double[] readOverRaw = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      screen()
          .status("  leaving a log of %s for recovery, %d of %d".formatted(kind, i + 1, rounds));
      leaveLog(store, options, kind);
      double raw = RawDisk.sequentialReadBytesPerSecond(files(store.resolve("log")));
      screen().status("  opening after a kill, %d of %d".formatted(i + 1, rounds));
      long begin = System.nanoTime();
      try (Store opened = Store.open(store, options)) {
        long openNanos = System.nanoTime() - begin;
        opened.run(Durability.SYNC, tx -> tx.root(1, 0));
        first[i] = (System.nanoTime() - begin) / 1e6;
        millis[i] = openNanos / 1e6;
        ReplayStats replay = awaitReplay(opened);
        replayed[i] = (System.nanoTime() - begin) / 1e6;
        RecoveryReport report = opened.recoveryReport();
        requireReplayed(report);
        double scanSeconds = report.durations().replay() / 1e9;
        double seconds = scanSeconds + replay.lasted().toNanos() / 1e9;
        int cores = Runtime.getRuntime().availableProcessors();
        wordsPerSecond[i] = report.counts().words() / seconds / cores;
        readOverRaw[i] = report.counts().scannedBytes() / scanSeconds / raw;
      }
    }
    Map<String, Object> params = Map.of("regionGiB", gib);
    if (kind == RedoTail.Kind.WORDS) {
      Metric open = add(metrics, "recovery.openAfterKillMillis", "ms", millis, params);
      row("open after a kill", nanos(open.value() * 1e6), range(open));
      Metric firstMillis = add(metrics, "recovery.firstTxnAfterKillMillis", "ms", first, params);
      row("... and the first durable commit done", nanos(firstMillis.value() * 1e6), "");
      Metric allMillis = add(metrics, "recovery.replayedAfterKillMillis", "ms", replayed, params);
      row("... and all of the log in memory", nanos(allMillis.value() * 1e6), range(allMillis));
      // The more memory the same words are spread over, the more of the time goes to page faults:
      // only the smallest region tells what replay itself can do.
      boolean smallest = regionGib.stream().allMatch(other -> gib <= other);
      Metric words =
          add(
              metrics,
              smallest ? "recovery.replayWordsPerSec" : "recovery.sparseReplayWordsPerSec",
              "1/s",
              wordsPerSecond,
              params);
      row(
          "replay of random words",
          rate(words.value()) + "/s",
          "words per core, with reading the log, page faults and the first commit beside it");
    } else {
      Metric over = add(metrics, "recovery.logReadOverRaw", "ratio", readOverRaw, params);
      row("reading a log of 64 KiB ranges", ratio(over.value()), "of reading the log raw");
    }
  }

  private static ReplayStats awaitReplay(Store store) throws InterruptedException {
    while (!store.replayStats().isDone()) {
      Thread.sleep(1);
    }
    return store.replayStats();
  }

  private void requireReplayed(RecoveryReport report) {
    if (report.counts().words() < tailWords()) {
      throw new IllegalStateException(
          "the killed store had %d words to replay, but replayed %s"
              .formatted(tailWords(), report));
    }
  }

  private void leaveLog(Path store, StoreOptions options, RedoTail.Kind kind)
      throws IOException, InterruptedException {
    Path output = store.resolveSibling("child.log");
    ChildJvm child =
        ChildJvm.start(
            RedoTail.class,
            RedoTail.arguments(store, options.maxSize(), kind, tailWords()),
            output);
    long deadline = System.nanoTime() + CHILD_TIMEOUT_NANOS;
    while (!Files.readString(output).contains(RedoTail.DONE)) {
      if (!child.isAlive() || System.nanoTime() - deadline > 0) {
        child.kill();
        throw new IOException("the process that leaves a log behind " + child.lastWords());
      }
      Thread.sleep(CHILD_POLL_MILLIS);
    }
    child.kill();
    Files.delete(output);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static String range(Metric metric) {
    return "%s to %s".formatted(nanos(metric.min() * 1e6), nanos(metric.max() * 1e6));
  }
}
