package io.howdah.cli.bench;

import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.process.AtExit;
import io.howdah.jmh.process.Memcached;
import io.howdah.jmh.process.Spinners;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.YcsbStudy;
import io.howdah.jmh.study.YcsbStudy.Cell;
import io.howdah.jmh.study.YcsbStudy.Load;
import io.howdah.jmh.study.YcsbStudy.Samples;
import io.howdah.jmh.ycsb.KeySpace;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.Mix;
import io.howdah.jmh.ycsb.Values;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench ycsb}: the server beside memcached. */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    description =
        "The server under YCSB's mixes A, B, C, D and F, beside memcached if that is installed. The"
            + " servers are processes of their own and take turns; ratios are medians of the ratios"
            + " within a round. A thread at the lowest priority keeps each processor awake.%n")
final class YcsbCommand extends BenchRun {

  private static final long MAX_RECORDS = 100_000_000;
  private static final int MAX_THREADS = 64;
  private static final int MAX_CONNECTIONS = 1000;
  private static final int MAX_RESTART_ITEMS = 100_000_000;
  private static final int MAX_RESTARTS = 5;
  private static final int QUICK_RECORDS = 1000;
  private static final int QUICK_WARM_UP_MILLIS = 100;

  /** More bytes of one value than this, and a default run loads a quarter of the records. */
  private static final int LARGE_VALUE = 512;

  private static final int LARGE_VALUE_SHARE = 4;

  /** What an item may take besides its value, in either server. */
  private static final int ITEM_OVERHEAD_BYTES = 200;

  private static final long MIB = 1 << 20;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "1000000",
      description =
          "Records to load; a quarter of it with values above 512 bytes (${DEFAULT-VALUE}).")
  private long records;

  @Option(
      names = "--workloads",
      paramLabel = "MIX",
      split = ",",
      defaultValue = "A,B,C,D,F",
      description =
          "Mixes to run; D and F only at the first depth and value size (${DEFAULT-VALUE}).")
  private List<Mix> mixes;

  @Option(
      names = "--depths",
      paramLabel = "N",
      split = ",",
      defaultValue = "16,1",
      description = "Requests that a connection sends at once (${DEFAULT-VALUE}).")
  private List<Integer> depths;

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      split = ",",
      defaultValue = "100,1024",
      description = "Lengths of values (${DEFAULT-VALUE}).")
  private List<Integer> valueBytes;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads of the load (${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "16",
      description = "Connections of the load (${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--server-threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads of each server that serve connections (${DEFAULT-VALUE}).")
  private int serverThreads;

  @Option(
      names = "--warm-up-millis",
      paramLabel = "N",
      defaultValue = "2500",
      description = "Load of each mix before the first round (${DEFAULT-VALUE}).")
  private int warmUpMillis;

  @Option(
      names = "--durabilities",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "none,async",
      description = "Howdah's modes to run: none, async, sync (${DEFAULT-VALUE}).")
  private List<String> durabilities;

  @Option(
      names = "--server-jvm",
      paramLabel = "FLAG",
      description = "A flag for Howdah's JVM; may be repeated.")
  private List<String> jvmFlags = List.of();

  @Option(
      names = "--no-spinners",
      description = "Leave idle processors alone; latencies and rates then vary far more.")
  private boolean noSpinners;

  @Option(
      names = "--restart-items",
      paramLabel = "N",
      split = ",",
      defaultValue = "1000000",
      description =
          "Items of a server that is killed and stopped, and started again; 0 for none"
              + " (${DEFAULT-VALUE}).")
  private List<Integer> restartItems;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description =
          "Measure this server instead, which runs already. Records are written to it and stay;"
              + " its processor time is not known.")
  private @Nullable String server;

  @Option(
      names = "--quick",
      description = "1,000 records and no warm-up: to see that everything works.")
  private boolean quick;

  YcsbCommand() {}

  @Override
  String commandName() {
    return "bench ycsb";
  }

  @Override
  long neededBytes() {
    int most = restartItems.stream().max(Integer::compare).orElse(0);
    return 4 * Math.max(memoryMib(), YcsbRestarts.memoryMib(most)) * MIB;
  }

  private long recordsOf(int bytes) {
    if (records < 1 || records > MAX_RECORDS) {
      throw usage("--records must be from 1 to %,d: %,d".formatted(MAX_RECORDS, records));
    }
    if (quick) {
      return Math.min(records, QUICK_RECORDS);
    }
    return bytes > LARGE_VALUE ? Math.max(1, records / LARGE_VALUE_SHARE) : records;
  }

  /** Enough for all that is loaded and inserted, so that neither server evicts. */
  private long memoryMib() {
    long most = 0;
    for (int bytes : valueBytes) {
      require("--value-bytes", bytes, Values.MIN_BYTES, Values.MAX_BYTES);
      most = Math.max(most, recordsOf(bytes) * (bytes + ITEM_OVERHEAD_BYTES));
    }
    return 2 * most / MIB + 256;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    for (int items : restartItems) {
      require("--restart-items", items, 0, MAX_RESTART_ITEMS);
    }
    for (int depth : depths) {
      require("--depths", depth, 1, LoadGenerator.MAX_DEPTH);
    }
    require("--threads", threads, 1, MAX_THREADS);
    require("--connections", connections, threads, MAX_CONNECTIONS);
    require("--server-threads", serverThreads, 1, MAX_THREADS);
    metrics.param("records", records).param("connections", connections);
    metrics.param("clientThreads", threads).param("serverThreads", serverThreads);
    if (server != null) {
      measureOther(server, metrics);
      return;
    }
    Files.createDirectories(folder);
    List<ServerSubject> subjects = subjects();
    if (noSpinners) {
      measureAll(folder, subjects, metrics);
    } else {
      try (Spinners spinners = AtExit.close(Spinners.start())) {
        measureAll(folder, subjects, metrics);
        AtExit.forget(spinners);
      }
    }
  }

  /** Measures a server that this command has not started. */
  private void measureOther(String place, MetricsRun metrics) throws InterruptedException {
    int bytes = valueBytes.getFirst();
    try (LoadGenerator load =
        new LoadGenerator(
            address(place),
            new KeySpace(recordsOf(bytes), KeySpace.Form.HASHED),
            new Values(bytes),
            threads,
            connections)) {
      begins("%s: loading %,d records".formatted(place, recordsOf(bytes)));
      load.load();
      for (Cell cell : cells(bytes)) {
        YcsbReport.addOther(screen(), metrics, place, cell, bytes, rounds(), load, roundMillis());
      }
    }
  }

  private InetSocketAddress address(String place) {
    int colon = place.lastIndexOf(':');
    try {
      int port = Integer.parseInt(place.substring(colon + 1));
      if (colon > 0 && port > 0) {
        InetSocketAddress address = new InetSocketAddress(place.substring(0, colon), port);
        if (!address.isUnresolved()) {
          return address;
        }
        throw usage("--server: there is no host of the name " + place.substring(0, colon));
      }
    } catch (IllegalArgumentException e) {
      throw usage("--server must be a host, a colon and a port: " + place + ": " + e.getMessage());
    }
    throw usage("--server must be a host, a colon and a port: " + place);
  }

  private List<ServerSubject> subjects() {
    YcsbServers servers = new YcsbServers(memoryMib(), jvmFlags, mainClass());
    List<ServerSubject> subjects = new ArrayList<>();
    Optional<Memcached> memcached = Memcached.find();
    memcached.ifPresent(installed -> subjects.add(servers.memcached(installed)));
    if (memcached.isEmpty()) {
      screen().line("  @|yellow memcached is not installed:|@ nothing to compare with");
    }
    durabilities.forEach(mode -> subjects.add(servers.howdah(mode)));
    return subjects;
  }

  private void measureAll(Path folder, List<ServerSubject> subjects, MetricsRun metrics)
      throws Exception {
    screen().line("");
    screen()
        .line(
            "  @|bold YCSB:|@ %d connections of %d thread(s), servers with %d thread(s); %d rounds"
                    .formatted(connections, threads, serverThreads, rounds())
                + " of %d ms".formatted(roundMillis()));
    screen().line("");
    YcsbReport report = new YcsbReport(screen(), metrics);
    report.head();
    for (int bytes : valueBytes) {
      Path own = folder.resolve("values-" + bytes);
      Load load = new Load(recordsOf(bytes), bytes, threads, connections, serverThreads);
      YcsbStudy study = new YcsbStudy(own, subjects, load, this);
      AtExit.close(study);
      try (study) {
        study.warmUp(mixes, (quick ? QUICK_WARM_UP_MILLIS : warmUpMillis) * 1_000_000L);
        for (Cell cell : cells(bytes)) {
          List<Samples> samples = study.measure(cell, effort());
          report.add(cell, bytes, samples);
          judgeNoise(metrics, samples.getFirst().subject().name(), samples.getFirst().cpuMicros());
        }
      } finally {
        AtExit.forget(study);
      }
      Folders.delete(own);
    }
    for (int items : restartItems) {
      if (items > 0) {
        int few = quick ? Math.min(items, QUICK_RECORDS) : items;
        YcsbServers servers = new YcsbServers(YcsbRestarts.memoryMib(few), jvmFlags, mainClass());
        new YcsbRestarts(screen(), metrics, this, servers)
            .measure(folder.resolve("restarts"), few, Math.min(rounds(), MAX_RESTARTS));
      }
    }
  }

  private List<Cell> cells(int bytes) {
    List<Cell> cells = new ArrayList<>();
    for (int depth : depths) {
      for (Mix mix : mixes) {
        boolean isExtra = mix == Mix.D || mix == Mix.F;
        if (!isExtra || (depth == depths.getFirst() && bytes == valueBytes.getFirst())) {
          cells.add(new Cell(mix, depth));
        }
      }
    }
    return cells;
  }
}
