package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.Accounts;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Properties of a persistent object against words. Hypothesis: no difference above 5 %, because an
 * accessor is the same call of the transaction with a constant added to the address. For the ratio
 * prefer {@code howdah bench objects}, which interleaves; this one is for profilers.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 9, time = 1)
public class ObjectsBenchmark {

  private Store store;
  private Accounts accounts;

  /** Creates it, for JMH. */
  public ObjectsBenchmark() {}

  /** Creates a store in memory. */
  @Setup(Level.Trial)
  public void open() {
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 24));
    accounts = Accounts.create(store);
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() {
    store.close();
  }

  /** 256 times three properties read and one written. */
  @Benchmark
  public long properties() {
    return accounts.throughObject();
  }

  /** The same by words. */
  @Benchmark
  public long words() {
    return accounts.throughWords();
  }
}
