package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.core.Backing;
import io.howdah.jmh.cache.CacheAfterKill;
import io.howdah.jmh.cache.CacheSpace;
import io.howdah.jmh.cache.CacheSpeed;
import io.howdah.jmh.cache.CacheTrace;
import io.howdah.jmh.cache.CaffeineHits;
import io.howdah.jmh.cache.HowdahHits;
import io.howdah.jmh.cache.ReferencePolicies;
import io.howdah.jmh.peers.PeerJars;
import io.howdah.jmh.study.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench cache}: a cache beside other policies, beside a map, and after a kill. */
@Command(
    name = "cache",
    mixinStandardHelpOptions = true,
    description =
        "Measures caches of a store: ratios of hits on traces beside Caffeine and policies from the"
            + " books, a hit and a put that evicts beside those of a map, bytes of an entry, and"
            + " what is found after the process was killed.%n")
final class CacheCommand extends BenchRun {

  private static final int MAX_ENTRIES = 100_000_000;
  private static final int MAX_REQUESTS = 100_000_000;
  private static final int MAX_VALUE_BYTES = 1 << 20;
  private static final int MAX_OPENINGS = 1000;
  private static final int MIN_GOAL_MILLIS = 10;
  private static final int MAX_GOAL_MILLIS = 3_600_000;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final String HIT_RATIO = "cache.hitRatio";
  private static final String POLICY = "policy";
  private static final List<Integer> VALUE_BYTES = List.of(8, 100, 1000);
  private static final double PERCENT = 100;

  /** The parts of the measurement. */
  enum Part {
    /** Ratios of hits. */
    RATIOS,
    /** Times of operations. */
    SPEED,
    /** Bytes of an entry. */
    SPACE,
    /** What is there after a kill. */
    KILL
  }

  @Option(
      names = "--part",
      paramLabel = "PART",
      split = ",",
      description = "Only these: ${COMPLETION-CANDIDATES}.")
  private @Nullable Set<Part> parts;

  @Option(
      names = "--trace-entries",
      paramLabel = "N",
      split = ",",
      defaultValue = "500,10000",
      description = "Entries of the caches that traces run through (${DEFAULT-VALUE}).")
  private List<Integer> traceEntries = new ArrayList<>();

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Requests of a trace (${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "20261130",
      description = "Seed of the generated traces (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      split = ",",
      description =
          "Traces from files too: a key in each line, before a blank or comma; .gz is unpacked.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Entries of the cache whose operations are timed (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--kill-entries",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Entries of the cache whose process is killed (${DEFAULT-VALUE}).")
  private int killEntries;

  @Option(
      names = "--openings",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often it is opened and killed again (${DEFAULT-VALUE}).")
  private int openings;

  @Option(
      names = "--recovery-goal",
      paramLabel = "MS",
      defaultValue = "5000",
      description = "The recovery goal of that store, in milliseconds (${DEFAULT-VALUE}).")
  private int recoveryGoalMillis;

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      defaultValue = "100",
      description = "Bytes of a value where operations are timed (${DEFAULT-VALUE}).")
  private int valueBytes;

  CacheCommand() {}

  @Override
  String commandName() {
    return "bench cache";
  }

  private boolean has(Part part) {
    return (parts == null ? EnumSet.allOf(Part.class) : parts).contains(part);
  }

  @Override
  long neededBytes() {
    int bytes = require("--value-bytes", valueBytes, 1, MAX_VALUE_BYTES);
    int timed = require("--entries", entries, 100, MAX_ENTRIES);
    int killed = require("--kill-entries", killEntries, 100, MAX_ENTRIES);
    require("--openings", openings, 1, MAX_OPENINGS);
    require("--recovery-goal", recoveryGoalMillis, MIN_GOAL_MILLIS, MAX_GOAL_MILLIS);
    require("--requests", requests, 100, MAX_REQUESTS);
    for (int each : traceEntries) {
      require("--trace-entries", each, 10, MAX_ENTRIES);
    }
    for (Path file : files) {
      if (!Files.isRegularFile(file)) {
        throw usage("--trace: there is no file " + file);
      }
    }
    long speed = has(Part.SPEED) || has(Part.SPACE) ? CacheSpeed.neededBytes(timed, bytes) : 0;
    long kill = has(Part.KILL) ? CacheAfterKill.neededBytes(killed, bytes) : 0;
    return (1L << 30) + Math.max(speed, kill);
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    Files.createDirectories(folder);
    metrics
        .param("requests", requests)
        .param("seed", seed)
        .param("entries", entries)
        .param("valueBytes", valueBytes);
    if (has(Part.RATIOS)) {
      ratios(folder, metrics);
    }
    if (has(Part.SPEED)) {
      speed(folder, metrics);
    }
    if (has(Part.SPACE)) {
      space(folder, metrics);
    }
    if (has(Part.KILL)) {
      for (Backing backing : List.of(Backing.SHARED, Backing.MAPPED)) {
        kill(folder, backing, metrics);
      }
    }
    screen().line("");
  }

  private void head(String title, Table table) {
    screen().line("");
    screen().line("  @|bold " + title + "|@");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
  }

  // ---- Ratios of hits.

  private void ratios(Path folder, MetricsRun metrics) throws IOException {
    Optional<PeerJars> jars = PeersFolder.jars();
    @Nullable CaffeineHits caffeine = null;
    try {
      if (jars.isPresent()) {
        jars.get().version("caffeine").ifPresent(it -> metrics.param("version.caffeine", it));
        caffeine = CaffeineHits.start(folder, jars.get().classPath());
      } else {
        screen().line("  Caffeine is not here: start this as ./howdah from a checkout");
      }
      for (int each : traceEntries) {
        ratios(folder, each, caffeine, metrics);
      }
    } finally {
      if (caffeine != null) {
        caffeine.close();
      }
    }
  }

  private void ratios(
      Path folder, int cacheEntries, @Nullable CaffeineHits caffeine, MetricsRun metrics)
      throws IOException {
    Table table =
        new Table()
            .text("trace", 24)
            .figure("Howdah", 8)
            .figure("Caffeine", 9)
            .figure("less", 7)
            .figure("LRU", 8)
            .figure("CLOCK", 8)
            .figure("best", 8);
    head("Hits of %,d entries, in percent of the requests".formatted(cacheEntries), table);
    for (CacheTrace.Kind kind : CacheTrace.Kind.values()) {
      row(
          folder,
          kind.text(),
          CacheTrace.of(kind, cacheEntries, seed),
          cacheEntries,
          caffeine,
          table,
          metrics);
    }
    for (Path file : files) {
      String name = file.getFileName().toString();
      row(folder, name, CacheTrace.ofFile(file), cacheEntries, caffeine, table, metrics);
    }
  }

  private void row(
      Path folder,
      String name,
      CacheTrace trace,
      int cacheEntries,
      @Nullable CaffeineHits caffeine,
      Table table,
      MetricsRun metrics)
      throws IOException {
    begins("%s, %,d entries".formatted(name, cacheEntries));
    long[] keys = trace.keys(requests);
    Path store = folder.resolve("trace");
    double own =
        hits("Howdah", HowdahHits.of(store, keys, cacheEntries), keys, name, cacheEntries, metrics);
    Folders.delete(store);
    double other = Double.NaN;
    if (caffeine != null) {
      long found = caffeine.of(trace, requests, cacheEntries);
      other = hits("Caffeine", found, keys, name, cacheEntries, metrics);
    }
    double lru =
        hits("LRU", ReferencePolicies.lru(keys, cacheEntries), keys, name, cacheEntries, metrics);
    double clock =
        hits(
            "CLOCK",
            ReferencePolicies.clock(keys, cacheEntries),
            keys,
            name,
            cacheEntries,
            metrics);
    double best =
        hits("best", ReferencePolicies.best(keys, cacheEntries), keys, name, cacheEntries, metrics);
    screen()
        .line(
            table.row(
                name,
                percent(own),
                Double.isNaN(other) ? "" : percent(other),
                Double.isNaN(other) ? "" : "%.1f".formatted(PERCENT * (other - own)),
                percent(lru),
                percent(clock),
                percent(best)));
  }

  private static double hits(
      String policy, long hits, long[] keys, String trace, int cacheEntries, MetricsRun metrics) {
    double ratio = (double) hits / keys.length;
    addSingle(
        metrics,
        HIT_RATIO,
        "ratio",
        ratio,
        Map.of(POLICY, policy, "trace", trace, "entries", cacheEntries));
    return ratio;
  }

  private static String percent(double ratio) {
    return "%.1f".formatted(PERCENT * ratio);
  }

  // ---- Times.

  private void speed(Path folder, MetricsRun metrics) throws Exception {
    Path store = folder.resolve("speed");
    CacheSpeed.Result found = CacheSpeed.measure(store, entries, valueBytes, effort(), this);
    Folders.delete(store);
    Table table = new Table().text("", 40).figure("time", 10).figure("range", 20);
    head(
        "Processor time of %,d entries of %d bytes, one thread".formatted(entries, valueBytes),
        table);
    time(table, "map, get", "cache.mapGetNanos", found.mapGet(), metrics);
    time(table, "cache, hit", "cache.hitNanos", found.hit(), metrics);
    over(table, "... of the map's get", "cache.hitOverGet", found.hitOverGet(), metrics);
    time(table, "map, put of a new key", "cache.mapInsertNanos", found.mapInsert(), metrics);
    time(table, "map, put of a key it has", "cache.mapReplaceNanos", found.mapReplace(), metrics);
    time(
        table,
        "map, put of a new key, removal of one",
        "cache.mapExchangeNanos",
        found.mapExchange(),
        metrics);
    time(table, "cache, put that evicts", "cache.evictNanos", found.evictingPut(), metrics);
    over(
        table,
        "... of a put of a new key",
        "cache.evictOverInsert",
        found.evictionOverInsert(),
        metrics);
    over(
        table,
        "... of a put of a key it has",
        "cache.evictOverReplace",
        found.evictionOverReplace(),
        metrics);
    over(
        table,
        "... of a put with a removal",
        "cache.evictOverExchange",
        found.evictionOverExchange(),
        metrics);
    judgeNoise(metrics, "a get of the map", found.mapGet());
  }

  private void time(
      Table table, String what, String name, List<Double> samples, MetricsRun metrics) {
    Metric metric = add(metrics, name, "ns", samples, Map.of());
    screen()
        .line(
            table.row(
                what, nanos(metric.value()), nanos(metric.min()) + " … " + nanos(metric.max())));
  }

  private void over(
      Table table, String what, String name, List<Double> samples, MetricsRun metrics) {
    Metric metric = add(metrics, name, "ratio", samples, Map.of());
    screen()
        .line(
            table.row(
                what, ratio(metric.value()), ratio(metric.min()) + " … " + ratio(metric.max())));
  }

  // ---- Bytes.

  private void space(Path folder, MetricsRun metrics) throws IOException {
    Table table = new Table().figure("value", 8).figure("counted", 10).figure("of the store", 14);
    head("Bytes of an entry with a key of 8 bytes, among %,d".formatted(entries), table);
    for (int each : VALUE_BYTES) {
      Path store = folder.resolve("space");
      CacheSpace.Result found = CacheSpace.measure(store, entries, each);
      Folders.delete(store);
      Map<String, Object> params = Map.of("valueBytes", each);
      addSingle(metrics, "cache.entryWeight", "bytes", found.weight(), params);
      addSingle(metrics, "cache.entryBytes", "bytes", found.region(), params);
      screen()
          .line(
              table.row(
                  Integer.toString(each),
                  "%.0f".formatted(found.weight()),
                  "%.0f".formatted(found.region())));
    }
  }

  // ---- A kill.

  private void kill(Path folder, Backing backing, MetricsRun metrics) throws Exception {
    begins("filling a cache of %,d entries in a process to kill".formatted(killEntries));
    Path store = folder.resolve("killed");
    CacheAfterKill.Result found =
        CacheAfterKill.measure(
            new CacheAfterKill.Plan(
                store, backing, killEntries, valueBytes, Duration.ofMillis(recoveryGoalMillis)),
            openings);
    Folders.delete(store);
    Table table = new Table().text("", 46).figure("median", 12).figure("range", 20);
    head(
        "%,d openings after kill -9 of %,d entries, memory %s"
            .formatted(openings, killEntries, backing),
        table);
    Map<String, Object> params =
        Map.of(
            "entries",
            killEntries,
            "backing",
            backing.name(),
            "recoveryGoalMillis",
            recoveryGoalMillis);
    List<CacheAfterKill.Opening> all = found.openings();
    addSingle(metrics, "cache.kill.ratioBefore", "ratio", found.ratioBefore(), params);
    screen().line(table.row("hits before", percent(found.ratioBefore()) + " %", ""));
    Metric elapsed =
        add(
            metrics,
            "cache.kill.firstHitMillis",
            "ms",
            all.stream().map(each -> each.firstHitNanos() / NANOS_PER_MILLI).toList(),
            params);
    range(table, "first hit, from the beginning of the opening", "%.0f ms", 1, elapsed);
    Metric processor =
        add(
            metrics,
            "cache.kill.firstHitProcessorMillis",
            "ms",
            all.stream().map(each -> each.processorNanos() / NANOS_PER_MILLI).toList(),
            params);
    range(table, "... processor time, with the JVM's compilers", "%.0f ms", 1, processor);
    Metric ratio =
        add(
            metrics,
            "cache.kill.ratioInASecond",
            "ratio",
            all.stream().map(each -> (double) each.hits() / each.requests()).toList(),
            params);
    range(table, "hits in the first second", "%.1f %%", PERCENT, ratio);
    Metric requestsInASecond =
        add(
            metrics,
            "cache.kill.requestsInASecond",
            "1",
            all.stream().map(each -> (double) each.requests()).toList(),
            params);
    range(table, "... of so many requests", "%,.0f", 1, requestsInASecond);
    Metric entriesFound =
        add(
            metrics,
            "cache.kill.entries",
            "1",
            all.stream().map(each -> (double) each.entries()).toList(),
            params);
    range(table, "entries found", "%,.0f", 1, entriesFound);
    long attached = all.stream().filter(CacheAfterKill.Opening::isAttached).count();
    addSingle(metrics, "cache.kill.attached", "ratio", (double) attached / all.size(), params);
    screen()
        .line(
            table.row(
                "openings that found the killed process's memory", Long.toString(attached), ""));
  }

  private void range(Table table, String what, String format, double factor, Metric metric) {
    screen()
        .line(
            table.row(
                what,
                format.formatted(factor * metric.value()),
                format.formatted(factor * metric.min())
                    + " … "
                    + format.formatted(factor * metric.max())));
  }
}
