package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * W6 (see {@link SixWords}) without a log, with a partitioned one and with a single one. Found on a
 * loaded machine: an asynchronous commit costs a fifth to four fifths more than a volatile one, by
 * how busy the processors are, not a tenth: its record goes to memory, but the flusher needs a
 * processor. For ratios prefer {@code howdah bench w6}, which interleaves; this one is for
 * profilers.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 9, time = 1)
public class SixWordsBenchmark {

  private static final long MIB = 1 << 20;

  /** Which store: volatile, partitioned or single. */
  @Param({"volatile", "partitioned", "single"})
  public String log;

  /** Size of the data. */
  @Param("1024")
  public int heapMib;

  private Path folder;
  private Store store;
  private SixWords words;

  /** Creates it, for JMH. */
  public SixWordsBenchmark() {}

  /** Creates and fills the store, in the folder for temporary files. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapMib * MIB));
    folder = Files.createTempDirectory("howdah-w6-");
    store =
        switch (log) {
          case "volatile" -> Store.inMemory(options);
          case "partitioned" -> Store.open(folder.resolve("store"), options);
          case "single" -> Store.open(folder.resolve("store"), options.withPartitions(1));
          default -> throw new IllegalArgumentException("no such log: " + log);
        };
    words = SixWords.fill(store, heapMib * MIB);
  }

  /** Removes the store. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    store.close();
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(folder)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }

  /** Each thread's transactions. */
  @State(Scope.Thread)
  public static class PerThread {
    private SixWords.Transactions transactions;

    /** Creates it, for JMH. */
    public PerThread() {}

    /** Takes words of its own. */
    @Setup(Level.Trial)
    public void choose(SixWordsBenchmark benchmark) {
      transactions = benchmark.words.transactions();
    }
  }

  /** Commits asynchronously. */
  @Benchmark
  public long async(PerThread thread) {
    return thread.transactions.next(Durability.ASYNC);
  }

  /** Commits and waits for the force. */
  @Benchmark
  public long sync(PerThread thread) {
    return thread.transactions.next(Durability.SYNC);
  }
}
