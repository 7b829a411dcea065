package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.IndexedEntries;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * New entries of a map with a maintained index, and the same two puts by hand, in a store in
 * memory. Hypothesis: the index costs at most 1.3 times as much, since it writes the same words and
 * adds a look-up of the former value, which is not there.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(IndexedEntries.ENTRIES)
@Fork(3)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class IndexBenchmark {

  private Store store;
  private IndexedEntries entries;

  /** Creates it, for JMH. */
  public IndexBenchmark() {}

  /** Creates a store in memory for each iteration, so that both ways have maps of one size. */
  @Setup(Level.Iteration)
  public void open() {
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4L << 30));
    entries = new IndexedEntries(store);
  }

  /** Closes it. */
  @TearDown(Level.Iteration)
  public void close() {
    store.close();
  }

  /** Puts with an index. */
  @Benchmark
  public long indexed() {
    return entries.putIndexed();
  }

  /** Puts into two maps. */
  @Benchmark
  public long byHand() {
    return entries.putByHand();
  }
}
