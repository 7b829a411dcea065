package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.ObjectsStudy;
import io.howdah.jmh.workload.GrowingMap;
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

  private static final int MAX_ENTRIES = 200_000_000;

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
    return ObjectsStudy.neededBytes(entries, loadEntries);
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
                .formatted(rounds(), roundMillis()));
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    ObjectsStudy study = new ObjectsStudy(folder, entries, loadEntries, effort(), this);
    show(
        "properties over words",
        add(
            metrics,
            "objects.accessor.overHandwritten",
            "ratio",
            study.propertiesOverWords(),
            Map.of()));
    report(study.maps(), metrics);
    report(study.batches(), metrics);
    report(study.collections(), metrics);
    report(study.load(), metrics);
    report(study.growth(), metrics);
    screen().line("");
  }

  private void report(ObjectsStudy.Maps maps, MetricsRun metrics) {
    judgeNoise(metrics, "gets from the concurrent map", maps.twinGetNanos());
    show(
        "map get, a transaction each",
        add(metrics, "objects.mapGet.nanos", "ns", maps.getNanos(), Map.of()));
    show(
        "concurrent map get and copy",
        add(metrics, "baseline.hashMapGet.nanos", "ns", maps.twinGetNanos(), Map.of()));
    show(
        "get over concurrent map",
        add(metrics, "objects.mapGet.overHashMap", "ratio", maps.getOverTwin(), Map.of()));
    show("async put", add(metrics, "objects.mapPutAsync.nanos", "ns", maps.putNanos(), Map.of()));
    show(
        "concurrent map put of a copy",
        add(metrics, "baseline.hashMapPut.nanos", "ns", maps.twinPutNanos(), Map.of()));
    show(
        "put over concurrent map",
        add(metrics, "objects.mapPutAsync.overHashMap", "ratio", maps.putOverTwin(), Map.of()));
    show(
        "eight puts in one call and transaction over one",
        add(metrics, "objects.multi8.overSingle", "ratio", maps.manyOverSingle(), Map.of()));
    show(
        "eight puts in eight calls and one transaction over one",
        add(metrics, "objects.multi8Calls.overSingle", "ratio", maps.callsOverSingle(), Map.of()));
    judgeNoise(metrics, "puts into the concurrent map", maps.twinPutNanos());
  }

  private void report(ObjectsStudy.Batches batches, MetricsRun metrics) {
    show(
        "new entry in a batch of 100, processor",
        add(metrics, "objects.load100.nanos", "ns", batches.nanos(), Map.of()));
    show(
        "new entry of a concurrent map",
        add(metrics, "baseline.hashMapLoad.nanos", "ns", batches.twinNanos(), Map.of()));
    show(
        "batches over concurrent map",
        add(metrics, "objects.load100.overHashMap", "ratio", batches.overTwin(), Map.of()));
    judgeNoise(metrics, "load of the concurrent map", batches.twinNanos());
  }

  private void report(ObjectsStudy.Collections collections, MetricsRun metrics) {
    show(
        "sorted map scan, entries a second",
        add(metrics, "objects.scan.entriesPerSec", "1/s", collections.scanPerSecond(), Map.of()));
    show(
        "queue, transfers a second",
        add(
            metrics,
            "objects.queue.transfersPerSec",
            "1/s",
            collections.transfersPerSecond(),
            Map.of()));
  }

  private void report(ObjectsStudy.Load load, MetricsRun metrics) {
    show(
        "space over payload",
        addSingle(metrics, "objects.spaceOverhead", "ratio", load.spaceOverhead(), Map.of()));
    show(
        "heap with them, MiB",
        addSingle(metrics, "objects.heapMiB", "MiB", load.heapMib(), Map.of()));
    show(
        "load, entries a second",
        add(metrics, "objects.load.entriesPerSec", "1/s", load.perSecond(), Map.of()));
    show(
        "load over first touch, bytes a second",
        add(metrics, "objects.load.overFirstTouch", "ratio", load.overTouch(), Map.of()));
    add(metrics, "baseline.touchAndStore.seconds", "s", load.baseSeconds(), Map.of());
    show(
        "load over first touch and stores",
        add(metrics, "objects.load.overTouchAndStore", "ratio", load.overBase(), Map.of()));
    judgeNoise(metrics, "first touch and random stores", load.baseSeconds());
  }

  private void report(GrowingMap.Result result, MetricsRun metrics) {
    GrowingMap.Steps used = result.used();
    GrowingMap.Steps fresh = result.fresh();
    show(
        "longest step of growth, ms",
        addSingle(
            metrics,
            "objects.resize.maxMillis",
            "ms",
            used.longestProcessorNanos() / 1e6,
            Map.of()));
    show(
        "the same, waits included, ms",
        addSingle(
            metrics, "objects.resize.maxWallMillis", "ms", used.longestNanos() / 1e6, Map.of()));
    show(
        "in memory used for the first time",
        addSingle(
            metrics,
            "objects.resize.freshMaxWallMillis",
            "ms",
            fresh.longestNanos() / 1e6,
            Map.of()));
    show(
        "first touch of 2 MiB by anyone",
        addSingle(
            metrics,
            "baseline.firstTouch.maxMillis",
            "ms",
            result.firstTouchNanos() / 1e6,
            Map.of()));
    show(
        "most entries moved by one step",
        addSingle(
            metrics,
            "objects.resize.mostMoved",
            "count",
            Math.max(used.mostMoved(), fresh.mostMoved()),
            Map.of()));
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
