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
 * Six random words while checkpoints run one after the other, and while none does. Found on a
 * loaded machine: where no processor is free the median grows by some 40 %, since a checkpoint
 * takes a processor although it copies memory without locks. Hypotheses: with a free processor the
 * median is the same within 5 %; the 99.9th percentile grows if there are no more processors than
 * threads. For the ratio prefer {@code howdah bench checkpoint}, which takes turns.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 9, time = 1)
public class CheckpointBenchmark {

  private static final long MIB = 1 << 20;

  /** Whether checkpoints run. */
  @Param({"false", "true"})
  public boolean hasCheckpoints;

  /** Size of the data. */
  @Param("256")
  public int heapMib;

  private BenchmarkStore benchmarkStore;
  private SixWords.Transactions transactions;
  private volatile boolean stop;
  private Thread checkpoints;

  /** Creates it, for JMH. */
  public CheckpointBenchmark() {}

  /** Creates and fills the store, and begins with the checkpoints. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    benchmarkStore =
        BenchmarkStore.onDisk(StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapMib * MIB)));
    Store store = benchmarkStore.store();
    transactions = SixWords.fill(store, heapMib * MIB).transactions();
    stop = false;
    checkpoints =
        Thread.ofPlatform()
            .name("checkpoints")
            .start(
                () -> {
                  while (hasCheckpoints && !stop) {
                    store.admin().checkpoint();
                  }
                });
  }

  /** Ends the checkpoints and removes the store. */
  @TearDown(Level.Trial)
  public void close() throws IOException, InterruptedException {
    stop = true;
    checkpoints.join();
    benchmarkStore.close();
  }

  /** Commits asynchronously; for one thread. */
  @Benchmark
  public long async() {
    return transactions.next(Durability.ASYNC);
  }
}
