package io.howdah.lab.bench;

import io.howdah.cli.json.MetricsRun;
import io.howdah.jmh.process.Memcached;
import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.process.Spinners;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.WarmUpStudy.Plan;
import io.howdah.jmh.study.YcsbStudy;
import io.howdah.jmh.study.YcsbStudy.Cell;
import io.howdah.jmh.study.YcsbStudy.Load;
import io.howdah.jmh.study.YcsbStudy.Samples;
import io.howdah.jmh.ycsb.KeySpace;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.Mix;
import io.howdah.jmh.ycsb.Values;
import io.howdah.process.AtExit;
import java.io.IOException;
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
  private static final int RESTART_WARM_UPS = 3;
  private static final int MAX_IDLE_CONNECTIONS = 19_000;
  private static final int MAX_WARM_UP_SECONDS = 3600;
  private static final int MAX_DATABASE_RATE = 1_000_000;
  private static final int WARM_UP_STEP_MILLIS = 100;
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
      names = {"--server", "--target"},
      paramLabel = "HOST:PORT",
      description =
          "Measure this server instead, which runs already. Records are written to it and stay;"
              + " its processor time is not known.")
  private @Nullable String server;

  @Option(
      names = "--tail",
      description =
          "Measure latencies at half of each server's full load, while Howdah takes one checkpoint"
              + " after another, instead.")
  private boolean tail;

  @Option(
      names = "--memory",
      description = "Measure the memory of idle connections and of items of 100 bytes, instead.")
  private boolean memory;

  @Option(
      names = "--idle-connections",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Connections of --memory (${DEFAULT-VALUE}).")
  private int idleConnections;

  @Option(
      names = "--compare",
      description =
          "Restart Howdah, memcached and Redis, as far as they are installed, with the items of"
              + " --restart-items, instead.")
  private boolean compare;

  @Option(names = "--restarts", description = "Measure the restarts alone, instead.")
  private boolean restarts;

  @Option(
      names = "--figure1",
      paramLabel = "DIR",
      description =
          "Measure Figure 1 of Persistent Memcached (HotStorage 2017), over the servers' threads,"
              + " and draw it into this folder, instead.")
  private @Nullable Path figure1;

  @Option(
      names = "--figure1-threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,2,3,4,5,6,7,8",
      description = "Threads of the servers in --figure1 (${DEFAULT-VALUE}).")
  private List<Integer> figure1Threads;

  @Option(
      names = "--warmup",
      paramLabel = "DIR",
      description =
          "Measure how hits and reads come back after a kill, with the server as a cache beside a"
              + " database, and draw it into this folder, instead.")
  private @Nullable Path warmUp;

  @Option(
      names = "--warmup-seconds",
      paramLabel = "S",
      defaultValue = "20",
      description = "Length of the curves of --warmup (${DEFAULT-VALUE}).")
  private int warmUpSeconds;

  @Option(
      names = "--database-rate",
      paramLabel = "N",
      defaultValue = "5000",
      description = "Reads a second that the database of --warmup answers (${DEFAULT-VALUE}).")
  private int databaseRate;

  @Option(
      names = "--workload",
      paramLabel = "FILE",
      description =
          "Run YCSB's own client with this file of properties instead, on a server that this starts"
              + " or on --target.")
  private @Nullable Path workload;

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description = "A property for --workload; may be repeated.")
  private List<String> properties = List.of();

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
    metrics.param("classCache", YcsbServers.startsFromClassCache());
    require("--idle-connections", idleConnections, 1, MAX_IDLE_CONNECTIONS);
    require("--warmup-seconds", warmUpSeconds, 1, MAX_WARM_UP_SECONDS);
    require("--database-rate", databaseRate, 1, MAX_DATABASE_RATE);
    for (int each : figure1Threads) {
      require("--figure1-threads", each, 1, MAX_THREADS);
    }
    if (workload != null) {
      runClient(workload, folder, metrics);
      return;
    }
    if (server != null) {
      measureOther(server, metrics);
      return;
    }
    Files.createDirectories(folder);
    List<ServerSubject> subjects = subjects();
    if (noSpinners) {
      measureChosen(folder, subjects, metrics);
    } else {
      try (Spinners spinners = AtExit.close(Spinners.start())) {
        measureChosen(folder, subjects, metrics);
        AtExit.forget(spinners);
      }
    }
  }

  private void measureChosen(Path folder, List<ServerSubject> subjects, MetricsRun metrics)
      throws Exception {
    int bytes = valueBytes.getFirst();
    Load load = new Load(recordsOf(bytes), bytes, threads, connections, serverThreads);
    if (tail) {
      List<Cell> cells = cells(bytes).stream().filter(each -> isTail(each.mix())).toList();
      new YcsbTail(screen(), metrics, this)
          .measure(folder, subjects, load, cells, effort(), warmUpNanos());
    }
    if (memory) {
      new YcsbMemory(screen(), metrics, this)
          .measure(folder.resolve("memory"), subjects, idleConnections, load.records());
    }
    if (figure1 != null) {
      Files.createDirectories(figure1);
      YcsbFigure1 figure = new YcsbFigure1(screen(), metrics, this);
      figure.measure(
          folder, subjects, load, figure1Threads, depths.getFirst(), effort(), warmUpNanos());
      figure.write(figure1);
      screen().line("  The charts and figure1.csv are in " + figure1 + ".");
    }
    if (warmUp != null) {
      Files.createDirectories(warmUp);
      YcsbWarmUp curves = new YcsbWarmUp(screen(), metrics, this);
      curves.measure(
          folder.resolve("warm-up"),
          subjects.stream().filter(each -> !each.durability().equals("none")).toList(),
          new Plan(
              Math.toIntExact(load.records()),
              bytes,
              databaseRate,
              WARM_UP_STEP_MILLIS,
              warmUpSeconds * 1000 / WARM_UP_STEP_MILLIS));
      curves.write(warmUp);
      screen().line("  The charts and warm-up.csv are in " + warmUp + ".");
    }
    if (compare) {
      for (int items : restartItems) {
        int few = quick ? Math.min(items, QUICK_RECORDS) : items;
        restarts(metrics, few).compare(folder.resolve("compare"), few, rounds());
      }
    }
    if (restarts) {
      measureRestarts(folder, metrics);
    }
    if (!tail && !memory && !compare && !restarts && figure1 == null && warmUp == null) {
      measureAll(folder, subjects, metrics);
      measureRestarts(folder, metrics);
    }
  }

  /** A half load has a fixed rate of operations, so an operation is one request. */
  private static boolean isTail(Mix mix) {
    return mix != Mix.D && mix != Mix.F;
  }

  private long warmUpNanos() {
    return (quick ? QUICK_WARM_UP_MILLIS : warmUpMillis) * 1_000_000L;
  }

  /** Runs YCSB's own client. */
  private void runClient(Path file, Path folder, MetricsRun metrics)
      throws IOException, InterruptedException {
    if (!Files.isRegularFile(file)) {
      throw usage("--workload is no file: " + file);
    }
    YcsbClient client = new YcsbClient(screen(), metrics, file, properties, threads);
    if (server != null) {
      client.run(address(server));
      return;
    }
    Path own = folder.resolve("ycsb");
    Files.createDirectories(own);
    ServerSubject subject =
        new YcsbServers(memoryMib(), jvmFlags, mainClass()).howdah(durabilities.getLast());
    try (ServerProcess process = subject.starter().start(own, serverThreads)) {
      AtExit.close(process);
      client.run(process.awaitListening().address());
      AtExit.forget(process);
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
    memcached.ifPresent(
        installed ->
            subjects.add(servers.memcached(installed, memory ? idleConnections + connections : 0)));
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
        study.warmUp(mixes, warmUpNanos());
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
  }

  private YcsbRestarts restarts(MetricsRun metrics, int items) {
    YcsbServers servers = new YcsbServers(YcsbRestarts.memoryMib(items), jvmFlags, mainClass());
    return new YcsbRestarts(screen(), metrics, this, servers);
  }

  private void measureRestarts(Path folder, MetricsRun metrics) throws Exception {
    for (int items : restartItems) {
      if (items > 0) {
        int few = quick ? Math.min(items, QUICK_RECORDS) : items;
        restarts(metrics, few)
            .measure(
                folder.resolve("restarts"),
                few,
                Math.min(rounds(), MAX_RESTARTS),
                quick ? 0 : RESTART_WARM_UPS);
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
