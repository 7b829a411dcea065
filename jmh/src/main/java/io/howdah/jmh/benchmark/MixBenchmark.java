package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.BankBranches;
import io.howdah.jmh.workload.SocialGraph;
import io.howdah.jmh.workload.TransactionMix;
import io.howdah.jmh.workload.Vacation;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
 * Programs in every commit mode: STAMP's vacation, a bank after TPC-B, a social graph. The time of
 * each transaction is sampled, so there are percentiles. Found on a loaded machine: asynchronous
 * commit takes up to twice the time of none where no processor is free for the flusher, not a tenth
 * more. Hypothesis: a commit that waits takes one or two forces of the disk, by however many
 * threads. At the end the data is verified. For ratios prefer {@code howdah bench vacation}, {@code
 * tpcb} and {@code graph}, which take turns.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 9, time = 1)
public class MixBenchmark {

  /** The program. */
  @Param({"vacation-low", "vacation-high", "bank", "graph"})
  public String program;

  /** How it commits: volatile, or the name of a durability. */
  @Param({"volatile", "ASYNC", "PARTITION", "SYNC"})
  public String commit;

  /** Rows of vacation's tables, people of the graph; ten times as many accounts. */
  @Param("50000")
  public int rows;

  private static final int BRANCHES = 32;

  private final AtomicInteger threads = new AtomicInteger();
  private BenchmarkStore benchmarkStore;
  private TransactionMix mix;
  private Durability durability;

  /** Creates it, for JMH. */
  public MixBenchmark() {}

  /** Creates and fills the store. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    int accounts = Math.max(1, rows * 10 / BRANCHES);
    boolean isVacation = program.startsWith("vacation");
    long maxSize =
        isVacation
            ? Vacation.maxSize(rows)
            : program.equals("bank")
                ? BankBranches.maxSize(BRANCHES, accounts)
                : SocialGraph.maxSize(rows);
    boolean isVolatile = commit.equals("volatile");
    durability = isVolatile ? Durability.ASYNC : Durability.valueOf(commit);
    StoreOptions options = StoreOptions.defaults().withMaxSize(maxSize);
    benchmarkStore = isVolatile ? BenchmarkStore.inMemory(maxSize) : BenchmarkStore.onDisk(options);
    Store store = benchmarkStore.store();
    mix =
        switch (program) {
          case "vacation-low" -> Vacation.fill(store, rows).mix(Vacation.Contention.LOW);
          case "vacation-high" -> Vacation.fill(store, rows).mix(Vacation.Contention.HIGH);
          case "bank" -> BankBranches.fill(store, BRANCHES, accounts);
          case "graph" -> SocialGraph.fill(store, rows);
          default -> throw new IllegalArgumentException("no such program: " + program);
        };
  }

  /** Verifies the data and removes the store. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    try {
      mix.verify();
    } finally {
      benchmarkStore.close();
    }
  }

  /** Each thread's transactions. */
  @State(Scope.Thread)
  public static class PerThread {
    private TransactionMix.Worker worker;

    /** Creates it, for JMH. */
    public PerThread() {}

    /** Takes a number of its own. */
    @Setup(Level.Trial)
    public void begin(MixBenchmark benchmark) {
      worker = benchmark.mix.worker(benchmark.threads.getAndIncrement());
    }
  }

  /** Runs a transaction. */
  @Benchmark
  public void transaction(PerThread thread) {
    thread.worker.next(durability);
  }
}
