package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
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
 * Transactions of so many words that lie together, by number of words. Found on a loaded machine: a
 * transaction that reads has a fixed cost below 100 ns, one that commits 150 to 250; each word that
 * is read adds 5 to 6 ns, each written word some 22 ns without a log. Hypothesis: the log's record
 * adds less than half of that, since it is copied to the ring in one piece.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class WordsBenchmark {

  private static final int MAX_WORDS = 4096;

  /** Words of a transaction. */
  @Param({"1", "8", "64", "512", "4096"})
  public int words;

  /** Whether commits leave records in a log. */
  @Param({"false", "true"})
  public boolean isLogged;

  private BenchmarkStore benchmarkStore;
  private Store store;
  private long block;
  private long value;

  /** Creates it, for JMH. */
  public WordsBenchmark() {}

  /** Creates the store. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    StoreOptions options = StoreOptions.defaults().withMaxSize(16 << 20);
    benchmarkStore = isLogged ? BenchmarkStore.onDisk(options) : BenchmarkStore.inMemory(16 << 20);
    store = benchmarkStore.store();
    block = store.call(TxOptions.async(), tx -> tx.allocate((long) MAX_WORDS * Long.BYTES));
  }

  /** Removes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    benchmarkStore.close();
  }

  /** Reads the words. */
  @Benchmark
  public long read() {
    return store.<Long, RuntimeException>read(
        TxOptions.async(),
        tx -> {
          long sum = 0;
          for (int i = 0; i < words; i++) {
            sum += tx.getLong(block + (long) i * Long.BYTES);
          }
          return sum;
        });
  }

  /** Writes the words, without reading them, and commits asynchronously. */
  @Benchmark
  public long commit() {
    long next = ++value;
    return store.run(
        TxOptions.async(),
        tx -> {
          for (int i = 0; i < words; i++) {
            tx.putLong(block + (long) i * Long.BYTES, next + i);
          }
        });
  }
}
