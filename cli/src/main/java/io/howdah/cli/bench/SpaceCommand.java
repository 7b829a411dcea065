package io.howdah.cli.bench;

import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.workload.Churn;
import io.howdah.txn.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench space}: what long use leaves of a store's room. */
@Command(
    name = "space",
    mixinStandardHelpOptions = true,
    description =
        "Allocates and frees blocks around a steady total, with several threads that free each"
            + " other's, while the range of lengths changes; shows after each change how much of the"
            + " room that blocks have reached they hold, and whether all of it comes back.%n")
final class SpaceCommand extends BenchRun {

  private static final int MAX_OPERATIONS = 1_000_000_000;
  private static final int MAX_LIVE_MIB = 1 << 20;
  private static final int MAX_THREADS = 64;

  /** More than blocks can be made to reach here, so that nothing is used again for want of room. */
  private static final long ROOM = 4;

  @Option(
      names = "--operations",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "Allocations and frees of all phases together (${DEFAULT-VALUE}).")
  private int operations;

  @Option(
      names = "--live-mib",
      paramLabel = "MIB",
      defaultValue = "256",
      description = "What blocks in use hold together (${DEFAULT-VALUE}).")
  private int liveMib;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "How many threads allocate and free (${DEFAULT-VALUE}).")
  private int threads;

  private final Table table =
      new Table()
          .text("lengths", 10)
          .figure("operations/s", 14)
          .figure("blocks", 12)
          .figure("asked for", 12)
          .figure("blocks take", 12)
          .figure("reached", 12)
          .figure("used", 8);

  SpaceCommand() {}

  @Override
  String commandName() {
    return "bench space";
  }

  @Override
  long neededBytes() {
    return 3L * ROOM * ((long) liveMib << 20) + (1L << 30);
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    require("--operations", operations, 1000, MAX_OPERATIONS);
    require("--live-mib", liveMib, 1, MAX_LIVE_MIB);
    require("--threads", threads, 1, MAX_THREADS);
    metrics.param("operations", operations).param("liveMib", liveMib).param("threads", threads);
    long live = (long) liveMib << 20;
    Files.createDirectories(folder);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    StoreOptions options = StoreOptions.defaults().maxSize(ROOM * live + (64L << 20));
    try (Store store = Store.open(folder.resolve("store"), options)) {
      Churn churn = new Churn(store, live);
      Churn.Phase[] phases = Churn.Phase.values();
      for (Churn.Phase phase : phases) {
        String name = phase.name().toLowerCase(Locale.ROOT);
        Churn.Figures figures =
            churn.run(
                phase,
                operations / phases.length,
                threads,
                done ->
                    screen()
                        .status(
                            "  %s: %,d of %,d".formatted(name, done, operations / phases.length)));
        requireBlocks(churn, figures);
        show(name, figures);
        add(name, figures, metrics);
      }
      Churn.Figures empty = churn.freeAll();
      requireBlocks(churn, empty);
      show("all freed", empty);
      long largest = largest(store, empty.reachBytes());
      metrics.add(
          Metric.single("space.freed.largestBlockBytes", "bytes", (double) largest, Map.of()));
      metrics.add(
          Metric.single(
              "space.freed.freeShare",
              "ratio",
              (double) empty.freeBytes() / empty.reachBytes(),
              Map.of()));
      screen().line("");
      screen()
          .line(
              "  all freed, the longest block that fits below what was reached: "
                  + Figures.bytes((double) largest));
      screen().line("");
    }
  }

  /** Blocks that nobody has would be a leak, and more than there are an overlap. */
  private static void requireBlocks(Churn churn, Churn.Figures figures) {
    if (figures.blocks() != churn.blocks()) {
      throw new IllegalStateException(
          "the store says that %,d blocks are in use, and %,d are"
              .formatted(figures.blocks(), churn.blocks()));
    }
  }

  /** Returns the longest block, of powers of two, for which no new room is taken. */
  private static long largest(Store store, long reach) {
    for (long length = Long.highestOneBit(reach); length >= 4096; length >>= 1) {
      long wanted = length;
      if (wanted > store.stats().maxBlockBytes()) {
        continue;
      }
      long block = store.call(Durability.ASYNC, tx -> tx.allocate(wanted));
      boolean fits = store.stats().allocatedBytes() == reach;
      store.run(Durability.ASYNC, tx -> tx.free(block));
      if (fits) {
        return wanted;
      }
      reach = store.stats().allocatedBytes();
    }
    return 0;
  }

  private static void add(String phase, Churn.Figures figures, MetricsRun metrics) {
    Map<String, Object> params = Map.of("lengths", phase);
    metrics.add(Metric.single("space.operationsPerSec", "1/s", figures.operationsPerSec(), params));
    metrics.add(
        Metric.single(
            "space.utilisation",
            "ratio",
            (double) figures.askedBytes() / figures.reachBytes(),
            params));
    metrics.add(
        Metric.single(
            "space.blocksOverAsked",
            "ratio",
            (double) figures.blockBytes() / figures.askedBytes(),
            params));
    metrics.add(
        Metric.single(
            "space.freeShare",
            "ratio",
            (double) figures.freeBytes() / figures.reachBytes(),
            params));
  }

  private void show(String phase, Churn.Figures figures) {
    screen()
        .line(
            table.row(
                phase,
                rate(figures.operationsPerSec()),
                Figures.count(figures.blocks()),
                Figures.bytes((double) figures.askedBytes()),
                Figures.bytes((double) figures.blockBytes()),
                Figures.bytes((double) figures.reachBytes()),
                "%.0f %%".formatted(100.0 * figures.askedBytes() / figures.reachBytes())));
  }
}
