package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.Orders;
import java.math.BigDecimal;
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
 * 256 records of seven components, with nested ones in a list, through the derived codec and
 * through one written by hand, in a store in memory. Expected: the derived codec takes at most 1.3
 * times as long, since its generated class makes the same calls. Confirmed on a quiet machine
 * (docs/benchmarks.md); on a loaded one it was 1.5 to 1.8.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class RecordsBenchmark {

  /** Which codec. */
  @Param({"true", "false"})
  public boolean isDerived;

  private Store store;
  private Orders orders;

  /** Creates it, for JMH. */
  public RecordsBenchmark() {}

  /** Creates a store in memory. */
  @Setup(Level.Trial)
  public void open() {
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 26));
    orders = Orders.create(store);
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() {
    store.close();
  }

  /** Reads all records. */
  @Benchmark
  public BigDecimal read() {
    return orders.read(isDerived);
  }

  /** Puts all records. */
  @Benchmark
  public void write() {
    orders.write(isDerived);
  }
}
