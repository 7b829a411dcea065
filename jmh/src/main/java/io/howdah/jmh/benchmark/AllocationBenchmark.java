package io.howdah.jmh.benchmark;

import io.howdah.Store;
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
 * A block that is allocated in one transaction and freed in the next, by length. Found on a loaded
 * machine: a pair of 32 bytes costs below 500 ns, but one of 1 KiB nearly three times as much,
 * though both change one word of a slab's bit map; the rest is clearing and logging the words.
 * Hypothesis: a block of 64 KiB costs far more, since it is searched for among runs of pages,
 * cleared and logged.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class AllocationBenchmark {

  /** Length of the block. */
  @Param({"32", "1024", "65536"})
  public int bytes;

  private BenchmarkStore benchmarkStore;
  private Store store;

  /** Creates it, for JMH. */
  public AllocationBenchmark() {}

  /** Creates a store in memory. */
  @Setup(Level.Trial)
  public void open() {
    benchmarkStore = BenchmarkStore.inMemory(64 << 20);
    store = benchmarkStore.store();
  }

  /** Removes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    benchmarkStore.close();
  }

  /** Allocates and frees, in two transactions. */
  @Benchmark
  public long allocateAndFree() {
    long block = store.<Long, RuntimeException>call(TxOptions.async(), tx -> tx.allocate(bytes));
    store.run(TxOptions.async(), tx -> tx.free(block));
    return block;
  }
}
