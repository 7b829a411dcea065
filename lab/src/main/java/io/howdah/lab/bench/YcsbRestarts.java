package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.count;
import static io.howdah.cli.terminal.Figures.nanos;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.process.Memcached;
import io.howdah.jmh.process.Redis;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.RestartStudy;
import io.howdah.jmh.study.RestartStudy.Restart;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.process.AtExit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Restarts of the servers: after a kill under load, and after a clean stop. */
final class YcsbRestarts {

  /** A file system in memory, which memcached's warm restart asks for. */
  private static final Path MEMORY = Path.of("/dev/shm");

  /** The bytes of a value; the keys are YCSB's. */
  private static final int VALUE_BYTES = 100;

  /** The whole process starts. */
  private static final String START = "start";

  /** The store is opened in a process whose classes are loaded. */
  private static final String OPEN = "open";

  private static final int MAX_STARTS = 3;

  /** Up to so many items are all read back after each restart; more only after the last one. */
  private static final int ALWAYS_READ = 1_000_000;

  /** In the place of a number of warm-ups: the store is not opened within this process. */
  private static final int NO_OPENINGS = -1;

  private static final int ITEM_BYTES = 320;
  private static final int MIN_MIB = 256;
  private static final long MIB = 1 << 20;

  private final Screen screen;
  private final MetricsRun metrics;
  private final StudyProgress progress;
  private final YcsbServers servers;
  private final Table table =
      new Table()
          .figure("items", 10)
          .text("server", 15)
          .text("stop", 5)
          .text("from", 5)
          .figure("first hit", 9)
          .figure("longest", 8)
          .figure("stopping", 8)
          .figure("written", 9)
          .figure("lost", 9)
          .figure("hits", 6);

  YcsbRestarts(Screen screen, MetricsRun metrics, StudyProgress progress, YcsbServers servers) {
    this.screen = screen;
    this.metrics = metrics;
    this.progress = progress;
    this.servers = servers;
  }

  static long memoryMib(long items) {
    return items * ITEM_BYTES / MIB + MIN_MIB;
  }

  /**
   * Measures.
   *
   * @param rounds that count
   * @param warmUps openings before these
   */
  void measure(Path folder, int items, int rounds, int warmUps) throws Exception {
    head();
    restart(folder.resolve("howdah"), servers.howdah("async"), items, rounds, warmUps);
    warmMemcached(folder, items, rounds);
  }

  /** Restarts of whole processes: Howdah, memcached and Redis as far as they are installed. */
  void compare(Path folder, int items, int rounds) throws Exception {
    head();
    for (String durability : List.of("async", "sync")) {
      restart(folder.resolve("howdah"), servers.howdah(durability), items, rounds, NO_OPENINGS);
    }
    Optional<Memcached> memcached = Memcached.find();
    if (memcached.isPresent()) {
      ServerSubject plain = servers.memcached(memcached.get(), 0);
      restart(folder.resolve("memcached"), plain, items, rounds, NO_OPENINGS);
    }
    warmMemcached(folder, items, rounds);
    Optional<Redis> redis = Redis.find();
    if (redis.isEmpty()) {
      screen.line("  redis-server is not installed");
      return;
    }
    for (Redis.Persistence persistence : Redis.Persistence.values()) {
      ServerSubject subject = YcsbServers.redis(redis.get(), persistence);
      restart(folder.resolve("redis"), subject, items, rounds, NO_OPENINGS);
    }
  }

  private void head() {
    screen.line("");
    screen.line(
        "  @|bold Restarts|@ with items of %d bytes; a kill comes while the server is written to"
            .formatted(VALUE_BYTES));
    screen.line("");
    screen.line("@|faint " + table.head() + "|@");
    screen.line("@|faint " + table.rule() + "|@");
  }

  private void warmMemcached(Path folder, int items, int rounds) throws Exception {
    Optional<Memcached> memcached = Memcached.find();
    if (memcached.isPresent() && Files.isWritable(MEMORY)) {
      Path file = MEMORY.resolve("howdah-bench-" + ProcessHandle.current().pid());
      try {
        restart(
            folder.resolve("memcached"),
            servers.warmMemcached(memcached.get(), file),
            items,
            rounds,
            NO_OPENINGS);
      } finally {
        Files.deleteIfExists(file);
        Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".meta"));
      }
    } else {
      screen.line("  memcached with %s: not here".formatted(MEMORY));
    }
  }

  private void restart(Path folder, ServerSubject subject, int items, int rounds, int warmUps)
      throws Exception {
    progress.begins("%s: loading %,d items".formatted(subject.name(), items));
    RestartStudy study = new RestartStudy(folder, subject, items, VALUE_BYTES);
    AtExit.close(study);
    try (study) {
      if (warmUps != NO_OPENINGS) {
        open(study, subject, items, rounds, warmUps);
      }
      List<Restart> clean = new ArrayList<>();
      List<Restart> killed = new ArrayList<>();
      int starts = Math.min(rounds, MAX_STARTS);
      for (int i = 0; i < starts; i++) {
        study.readBack(items <= ALWAYS_READ || i == starts - 1);
        progress.begins("%s: clean restart %d".formatted(subject.name(), i + 1));
        clean.add(study.stopAndStart());
        if (!clean.getLast().isHit()) {
          study.reload();
        }
        progress.begins("%s: kill %d".formatted(subject.name(), i + 1));
        killed.add(study.killAndStart());
        if (!killed.getLast().isHit()) {
          study.reload();
        }
      }
      report(subject, items, "clean", START, clean);
      report(subject, items, "kill", START, killed);
    } finally {
      AtExit.forget(study);
      Folders.delete(folder);
    }
  }

  /** Opens the store within this process; the first openings only load and compile classes. */
  private void open(RestartStudy study, ServerSubject subject, int items, int rounds, int warmUps)
      throws Exception {
    List<Restart> clean = new ArrayList<>();
    List<Restart> killed = new ArrayList<>();
    int all = rounds + warmUps;
    for (int i = 1 - warmUps; i <= rounds; i++) {
      study.readBack(items <= ALWAYS_READ || i == rounds);
      progress.begins(
          "%s: opening after a stop, %d of %d".formatted(subject.name(), i + warmUps, all));
      Restart stopped = study.stopAndOpen(servers::open);
      progress.begins(
          "%s: opening after a kill, %d of %d".formatted(subject.name(), i + warmUps, all));
      Restart kill = study.killAndOpen(servers::open);
      if (i > 0) {
        clean.add(stopped);
        killed.add(kill);
      }
    }
    report(subject, items, "clean", OPEN, clean);
    report(subject, items, "kill", OPEN, killed);
  }

  private void report(
      ServerSubject subject, int items, String stop, String from, List<Restart> restarts) {
    Map<String, Object> params = new TreeMap<>();
    params.put("server", subject.server());
    params.put("items", items);
    params.put("valueBytes", VALUE_BYTES);
    params.put("stop", stop);
    if (!subject.durability().isEmpty()) {
      params.put("durability", subject.durability());
    }
    String name =
        from.equals(OPEN) ? "ycsb.restart.firstHitMillis" : "ycsb.restart.startToFirstHitMillis";
    List<Double> times = restarts.stream().map(Restart::millis).toList();
    Metric first = BenchRun.add(metrics, name, "ms", times, params);
    params.put("from", from);
    List<Double> stopping = restarts.stream().map(Restart::stopMillis).toList();
    List<Double> hits = restarts.stream().map(Restart::hitRatio).toList();
    double stopMillis =
        BenchRun.add(metrics, "ycsb.restart.stopMillis", "ms", stopping, params).value();
    double ratio = BenchRun.add(metrics, "ycsb.restart.hitRatio", "ratio", hits, params).value();
    long acknowledged = restarts.stream().mapToLong(Restart::acknowledged).sum();
    long lost = restarts.stream().mapToLong(Restart::lost).sum();
    long invented = restarts.stream().mapToLong(Restart::invented).sum();
    BenchRun.addSingle(
        metrics, "ycsb.restart.acknowledged", "count", (double) acknowledged, params);
    BenchRun.addSingle(metrics, "ycsb.restart.lost", "count", (double) lost, params);
    if (subject.server().equals(YcsbServers.HOWDAH) && lost + invented > 0) {
      metrics.violation(
          "after a %s %s had lost %d records and invented %d, of %d overwrites of %d items"
              .formatted(stop, subject.name(), lost, invented, acknowledged, items));
    }
    screen.line(
        table.row(
            count(items),
            subject.name(),
            stop,
            from,
            nanos(first.value() * 1e6),
            nanos(first.max() * 1e6),
            nanos(stopMillis * 1e6),
            count(acknowledged),
            count(lost),
            "%.3f".formatted(ratio)));
  }
}
