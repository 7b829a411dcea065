package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.workload.Accounts;
import io.howdah.jmh.workload.Entries;
import io.howdah.jmh.workload.GrowingMap;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.Structures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench objects}: maps, queues and objects beside their counterparts. */
@Command(
    name = "objects",
    mixinStandardHelpOptions = true,
    description =
        "Collections and persistent objects: keys of 8 bytes and values of 100 in a persistent map"
            + " beside the JDK's concurrent map, a load, a scan, a queue, a map that grows, and"
            + " properties of objects beside words. What is compared takes turns in one process;"
            + " ratios are medians of the ratios within a round.%n")
final class ObjectsCommand extends BenchRun {

  private static final int WARM_UPS = 4;
  private static final int MAX_ENTRIES = 200_000_000;
  private static final int TRANSFERS = 300_000;
  private static final int LOADERS = 2;
  private static final int LOADS = 5;
  private static final long PROPERTIES_STORE_BYTES = 16L << 20;
  private static final double MIB = 1 << 20;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Entries of the maps that are read (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--load-entries",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "Entries of the maps that are loaded (${DEFAULT-VALUE}).")
  private int loadEntries;

  private final Table table = new Table().text("what", 34).figure("median", 12).figure("range", 38);

  ObjectsCommand() {}

  @Override
  String commandName() {
    return "bench objects";
  }

  @Override
  long neededBytes() {
    return 3L * Entries.PAYLOAD_BYTES * (2L * entries + 2L * loadEntries) + (4L << 30);
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    require("--entries", entries, 1000, MAX_ENTRIES);
    require("--load-entries", loadEntries, 1000, MAX_ENTRIES);
    metrics.param("entries", entries).param("loadEntries", loadEntries);
    Files.createDirectories(folder);
    screen().line("");
    screen()
        .line(
            "  @|bold Objects:|@ keys of 8 bytes, values of 100; %d rounds of %d ms"
                .formatted(rounds(), roundNanos() / 1_000_000));
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    properties(folder.resolve("properties"), metrics);
    maps(folder.resolve("maps"), metrics);
    structures(folder.resolve("structures"), metrics);
    load(folder.resolve("load"), metrics);
    growth(folder.resolve("growth.jfr"), metrics);
    screen().line("");
  }

  /**
   * First, like a benchmark in a process of its own: what the compilers know of other transactions
   * decides how much of a body they inline, and moves either side more than the difference.
   */
  private void properties(Path directory, MetricsRun metrics) throws Exception {
    StoreOptions options = StoreOptions.defaults().maxSize(PROPERTIES_STORE_BYTES);
    try (Store store = Store.open(directory, options)) {
      Accounts accounts = Accounts.create(store);
      Rounds.Samples samples =
          new Rounds()
              .add("words", () -> accounts.wordNanos(roundNanos()))
              .add("properties", () -> accounts.objectNanos(roundNanos()))
              .run(WARM_UPS, rounds(), progress("properties"));
      show(
          "properties over words",
          add(
              metrics,
              "objects.accessor.overHandwritten",
              "ratio",
              samples.ratios("properties", "words"),
              Map.of()));
    }
  }

  private void maps(Path directory, MetricsRun metrics) throws Exception {
    screen().status("  filling a map of %,d entries and its twin".formatted(entries));
    StoreOptions options = StoreOptions.defaults().maxSize(Entries.maxSize(entries));
    try (Store store = Store.open(directory, options)) {
      Entries map = Entries.fill(store, entries);
      Rounds.Samples samples =
          new Rounds()
              .add("get", () -> map.getNanos(roundNanos()))
              .add("twin", () -> map.twinGetNanos(roundNanos()))
              .add("put", () -> map.putNanos(roundNanos()))
              .run(WARM_UPS, rounds(), progress("maps"));
      judgeNoise(metrics, "the concurrent map", samples.of("twin"));
      show("map get, a transaction each", nanosOf(metrics, "objects.mapGet.nanos", samples, "get"));
      show(
          "concurrent map get and copy",
          nanosOf(metrics, "baseline.hashMapGet.nanos", samples, "twin"));
      show(
          "get over concurrent map",
          add(
              metrics,
              "objects.mapGet.overHashMap",
              "ratio",
              samples.ratios("get", "twin"),
              Map.of()));
      show("async put", nanosOf(metrics, "objects.mapPutAsync.nanos", samples, "put"));
    }
  }

  private static Metric nanosOf(
      MetricsRun metrics, String name, Rounds.Samples samples, String subject) {
    return add(metrics, name, "ns", samples.of(subject), Map.of());
  }

  private void structures(Path directory, MetricsRun metrics) throws Exception {
    screen().status("  filling a sorted map of %,d entries".formatted(entries));
    try (Store store =
        Store.open(directory, StoreOptions.defaults().maxSize(Entries.maxSize(entries)))) {
      PersistentSortedMap<Long, Long> sorted = Structures.sorted(store, entries);
      Rounds.Samples samples =
          new Rounds()
              .add("scan", () -> Structures.scanPerSecond(store, sorted))
              .add("queue", () -> Structures.transfersPerSecond(store, TRANSFERS))
              .run(WARM_UPS, rounds(), progress("structures"));
      show(
          "sorted map scan, entries a second",
          add(metrics, "objects.scan.entriesPerSec", "1/s", samples.of("scan"), Map.of()));
      show(
          "queue, transfers a second",
          add(metrics, "objects.queue.transfersPerSec", "1/s", samples.of("queue"), Map.of()));
    }
  }

  private void load(Path directory, MetricsRun metrics) throws Exception {
    Files.createDirectories(directory);
    screen().status("  loading, for the compilers");
    try (Store store = loadStore(directory.resolve("first"), loadEntries)) {
      Entries.load(store, "load", Math.max(1000, loadEntries / 5), LOADERS);
    }
    double[] perSecond = new double[LOADS];
    for (int i = 0; i < LOADS; i++) {
      screen().status("  loading %,d entries, %d of %d".formatted(loadEntries, i + 1, LOADS));
      Path folder = directory.resolve("load-" + i);
      long heapBefore = usedHeap();
      try (Store store = loadStore(folder, loadEntries)) {
        perSecond[i] = Entries.load(store, "load", loadEntries, LOADERS);
        if (i == 0) {
          showFootprint(store, heapBefore, metrics);
        }
      }
      Folders.delete(folder);
    }
    show(
        "load, entries a second",
        add(metrics, "objects.load.entriesPerSec", "1/s", perSecond, Map.of()));
  }

  private static Store loadStore(Path folder, int entries) {
    return Store.open(folder, StoreOptions.defaults().maxSize(Entries.maxSize(entries)));
  }

  private void showFootprint(Store store, long heapBefore, MetricsRun metrics) {
    double payload = (double) loadEntries * Entries.PAYLOAD_BYTES;
    show(
        "space over payload",
        one(
            metrics,
            "objects.spaceOverhead",
            "ratio",
            store.stats().allocatedBytes() / payload - 1));
    show(
        "heap with them, MiB",
        one(metrics, "objects.heapMiB", "MiB", (usedHeap() - heapBefore) / MIB));
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void growth(Path recording, MetricsRun metrics) throws Exception {
    GrowingMap.Result result =
        GrowingMap.run(
            loadEntries,
            recording,
            done ->
                screen()
                    .status(
                        "  a map that grows to %,d entries beside one that has: %.0f %%"
                            .formatted(loadEntries, 100.0 * done / (5.0 * loadEntries))));
    GrowingMap.Steps used = result.used();
    GrowingMap.Steps fresh = result.fresh();
    show(
        "longest step of growth, ms",
        one(metrics, "objects.resize.maxMillis", "ms", used.longestProcessorNanos() / 1e6));
    show(
        "the same, waits included, ms",
        one(metrics, "objects.resize.maxWallMillis", "ms", used.longestNanos() / 1e6));
    show(
        "in memory used for the first time",
        one(metrics, "objects.resize.freshMaxWallMillis", "ms", fresh.longestNanos() / 1e6));
    show(
        "first touch of 2 MiB by anyone",
        one(metrics, "baseline.firstTouch.maxMillis", "ms", result.firstTouchNanos() / 1e6));
    show(
        "most entries moved by one step",
        one(
            metrics,
            "objects.resize.mostMoved",
            "count",
            Math.max(used.mostMoved(), fresh.mostMoved())));
    figures("growing", result.growing(), metrics);
    figures("grown", result.grown(), metrics);
    figures("none", result.counting(), metrics);
  }

  private void figures(String map, GrowingMap.Figures figures, MetricsRun metrics) {
    Map<String, Object> params = Map.of("map", map);
    metrics.add(
        Metric.single(
            "objects.growth.put.p9999Nanos", "ns", (double) figures.p9999Nanos(), params));
    metrics.add(
        Metric.single("objects.growth.put.maxMillis", "ms", figures.longestNanos() / 1e6, params));
    metrics.add(
        Metric.single(
            "objects.growth.put.overMillisecond", "count", figures.overMillisecond(), params));
    metrics.add(
        Metric.single(
            "objects.growth.put.overMillisecondInPauses", "count", figures.inPauses(), params));
    screen()
        .line(
            table.row(
                switch (map) {
                  case "growing" -> "puts into the growing map";
                  case "grown" -> "puts into the grown map";
                  default -> "counting, no map";
                },
                nanos((double) figures.p9999Nanos()),
                "longest %.2f ms, %d > 1 ms (%d in GC)"
                    .formatted(
                        figures.longestNanos() / 1e6,
                        figures.overMillisecond(),
                        figures.inPauses())));
  }

  private static Metric one(MetricsRun metrics, String name, String unit, double value) {
    Metric metric = Metric.single(name, unit, value, Map.of());
    metrics.add(metric);
    return metric;
  }

  private void show(String what, Metric metric) {
    screen()
        .line(
            table.row(
                what,
                figure(metric, metric.value()),
                metric.samples() == 1
                    ? ""
                    : figure(metric, metric.min()) + " … " + figure(metric, metric.max())));
  }

  private static String figure(Metric metric, double value) {
    return switch (metric.unit()) {
      case "ns" -> nanos(value);
      case "1/s" -> rate(value);
      case "ratio" -> ratio(value);
      default -> String.format(Locale.ROOT, "%.2f", value);
    };
  }
}
