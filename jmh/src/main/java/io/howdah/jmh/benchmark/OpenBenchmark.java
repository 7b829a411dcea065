package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
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
 * From the call that opens a store to a first durable commit of six random words: after a clean
 * close, and with a log that has to be replayed. Hypotheses: after a close it does not depend on
 * the size, since the image is mapped; with a log it takes as long as reading the log. A single
 * shot each, so read the distribution. {@code howdah bench recovery} also kills a process, and
 * reads the same bytes raw.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3)
@Measurement(iterations = 15)
public class OpenBenchmark {

  private static final long MIB = 1 << 20;

  /** Size of the data. */
  @Param({"64", "512"})
  public int heapMib;

  /** Commits of six words in the log; 0 after a checkpoint. */
  @Param({"0", "1000000"})
  public int commits;

  private BenchmarkStore benchmarkStore;

  /** Creates it, for JMH. */
  public OpenBenchmark() {}

  /** Creates and fills the store, and closes it. */
  @Setup(Level.Trial)
  public void fill() throws IOException {
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapMib * MIB));
    benchmarkStore = BenchmarkStore.onDisk(options);
    SixWords words = SixWords.fill(benchmarkStore.store(), heapMib * MIB);
    benchmarkStore.store().close(); // takes a checkpoint
    if (commits > 0) {
      // Without checkpoints each opening finds the whole log, also after a close.
      benchmarkStore.keepLog();
      words = SixWords.of(benchmarkStore.reopen());
      SixWords.Transactions transactions = words.transactions();
      for (int i = 0; i < commits; i++) {
        transactions.next(Durability.ASYNC);
      }
      benchmarkStore.store().close();
    }
  }

  /** Removes it. */
  @TearDown(Level.Trial)
  public void remove() throws IOException {
    benchmarkStore.close();
  }

  /** Closes what the measurement has opened. */
  @TearDown(Level.Invocation)
  public void close() {
    benchmarkStore.store().close();
  }

  /** Opens, and commits once. */
  @Benchmark
  public long openAndCommit() {
    Store store = benchmarkStore.reopen();
    return SixWords.of(store).transactions().next(Durability.SYNC);
  }
}
