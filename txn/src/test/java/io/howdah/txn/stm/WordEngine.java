package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Ring;
import io.howdah.txn.AbortCause;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.StackReserve;
import io.howdah.txn.words.Words;
import io.howdah.txn.words.WordsAttachment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Transactions over words in memory, of many threads, without log, files and waits for durability.
 * What a store does around a transaction, it does too: hooks run, those for stability at once.
 * Thread-safe.
 */
final class WordEngine implements AutoCloseable {

  private static final TxOptions READ = TxOptions.async().withReadOnly();
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final long POLL_NANOS = 1_000_000;

  private final List<Runnable> closing = new ArrayList<>();
  private final Lifecycle lifecycle = new Lifecycle();
  private final TxEnvironment engine;
  private final AttemptPool attempts;
  private final TimeLimits limits;
  private final IrrevocableGate gate;
  private final TxRunner runner;

  private WordEngine(EngineOptions options, Region region) {
    StackReserve.prepare();
    Execution execution = options.execution();
    Region laneWords = options.allocate(CommitLanes.wordsLengthBytes(options.partitions()));
    closing.add(laneWords::close);
    CommitLanes lanes =
        CommitLanes.unlogged(laneWords, options.partitions(), execution, lifecycle::failIfStopped);
    OrecTable orecs =
        OrecTable.create(
            options.orecs(),
            options.memory() == null,
            length -> {
              Region memory = options.allocate(length);
              closing.add(memory::close);
              return memory;
            });
    closing.add(orecs::close);
    engine =
        new TxEnvironment(
            region,
            orecs,
            new Heap(region, options.partitions(), (_, _) -> {}),
            lanes,
            null,
            null,
            execution,
            lifecycle,
            Ring.maxRecordBytes(1 << 20),
            options.readOnly() ? 0 : options.maxTransactionBytes());
    RetryWaits retryWaits = new RetryWaits(execution, lifecycle);
    limits = new TimeLimits(execution);
    gate =
        new IrrevocableGate(
            lanes, lifecycle, lifecycle::fail, new ProgramLog("io.howdah.txn", execution));
    runner =
        new TxRunner(
            engine,
            new Committer(engine, retryWaits),
            gate,
            retryWaits,
            limits,
            options.irrevocableAfterAborts(),
            lifecycle::fail);
    attempts =
        new AttemptPool(
            execution, (id, counters) -> new Attempt(engine, id, counters, new Nothing()));
    LaneWatch watch = new LaneWatch(lanes, attempts, gate, lifecycle, execution, lifecycle::fail);
    lanes.whenWaitIsLong(watch);
    if (region.getLong(RegionHeaderLayout.MAGIC_ADDRESS) == 0) {
      run(WordEngine::initialise);
    }
  }

  /** Writes the header of a new region by a transaction, like a store. */
  private static void initialise(Tx tx) {
    Words words = TxHandle.of(tx).words();
    words.putUnchecked(RegionHeaderLayout.MAGIC_ADDRESS, RegionHeaderLayout.MAGIC);
    words.putUnchecked(RegionHeaderLayout.VERSION_ADDRESS, RegionHeaderLayout.VERSION);
    words.putUnchecked(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
  }

  public static WordEngine inMemory() {
    return inMemory(EngineOptions.defaults());
  }

  /** Creates one with a region of its own. */
  public static WordEngine inMemory(EngineOptions options) {
    return inMemory(options, options.allocate(options.maxSize()));
  }

  /** Creates one over a region, which it closes at its end. */
  public static WordEngine inMemory(EngineOptions options, Region region) {
    WordEngine store = new WordEngine(options, region);
    store.closing.add(region::close);
    return store;
  }

  // ---- Transactions.

  /** Runs a transaction and returns its LSN. */
  public <E extends Exception> long run(TxBody<E> body) throws E {
    return run(TxOptions.defaults(), body);
  }

  public <E extends Exception> long run(TxOptions how, TxBody<E> body) throws E {
    Attempt attempt = take();
    execute(attempt, how, body);
    return leave(attempt);
  }

  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    return call(TxOptions.defaults(), body);
  }

  public <T extends @Nullable Object, E extends Exception> T call(
      TxOptions how, TxFunction<T, E> body) throws E {
    Attempt attempt = take();
    T result = execute(attempt, how, body);
    leave(attempt);
    return result;
  }

  public <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E {
    return call(READ, body);
  }

  public <T extends @Nullable Object, E extends Exception> T read(
      TxOptions how, TxFunction<T, E> body) throws E {
    return call(how.withReadOnly(), body);
  }

  /** Returns transactions that the calling thread begins and ends itself. */
  public EngineSession session() {
    return new EngineSession(attempts, runner, limits, gate);
  }

  private Attempt take() {
    StackReserve.require();
    lifecycle.requireOpen();
    return attempts.take();
  }

  private <T extends @Nullable Object, E extends Exception> T execute(
      Attempt attempt, TxOptions how, TxFunction<T, E> body) throws E {
    try {
      return runner.execute(attempt, how, body);
    } catch (Throwable t) {
      Hooks hooks = attempt.takeHooks();
      attempt.words.forgetAfterCommit();
      attempt.takeLimit();
      attempts.give(attempt);
      if (hooks != null) {
        hooks.aborted();
      }
      throw t;
    }
  }

  private long leave(Attempt attempt) {
    long lsn = attempt.lsn();
    Hooks hooks = attempt.takeHooks();
    attempt.takeLimit();
    attempts.give(attempt);
    if (hooks != null) {
      hooks.committed();
      hooks.stable();
    }
    return lsn;
  }

  // ---- What tests ask about the parts.

  public TxEnvironment engine() {
    return engine;
  }

  /** Returns the LSN of the last commit. */
  public long lsn() {
    return engine.lanes().clock();
  }

  public long maxBlockBytes() {
    return engine.heap().maxBytes();
  }

  // ---- What transactions have counted.

  public long retries() {
    return attempts.counters()[Counters.RETRIES];
  }

  public long commits() {
    return attempts.counters()[Counters.COMMITS];
  }

  public long readOnlyCommits() {
    return attempts.counters()[Counters.READ_ONLY_COMMITS];
  }

  public long irrevocableTransactions() {
    return attempts.counters()[Counters.IRREVOCABLE];
  }

  public long snapshotExtensions() {
    return attempts.counters()[Counters.EXTENSIONS];
  }

  public long voids() {
    return attempts.counters()[Counters.VOIDS];
  }

  public long multipartCommits() {
    return attempts.counters()[Counters.MULTIPART_COMMITS];
  }

  public Map<AbortCause, Long> aborts() {
    long[] counters = attempts.counters();
    Map<AbortCause, Long> aborts = new EnumMap<>(AbortCause.class);
    for (AbortCause cause : AbortCause.values()) {
      aborts.put(cause, counters[Counters.of(cause)]);
    }
    return aborts;
  }

  /** Returns how many irrevocable transactions run: 0 or 1. */
  public int irrevocableRunning() {
    return gate.isClosed() ? 1 : 0;
  }

  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /** Closes it, and returns whether all transactions ended in time. */
  public boolean close(Duration timeout) {
    if (!lifecycle.startClosing()) {
      return true;
    }
    long timeoutNanos = TimeLimits.nanos(timeout);
    Execution execution = engine.execution();
    long started = execution.nanoTime();
    boolean hasEnded = attempts.drain();
    while (!hasEnded && execution.nanoTime() - started < timeoutNanos) {
      execution.parkThroughInterrupt(this, POLL_NANOS);
      hasEnded = attempts.drain();
    }
    lifecycle.stop();
    limits.close();
    engine.heap().close();
    closing.forEach(Runnable::run);
    lifecycle.closed();
    return hasEnded;
  }

  /** Nothing above the words. */
  static final class Nothing extends WordsAttachment {
    @Override
    public void begin(Tx tx) {}

    @Override
    public void trim() {}
  }
}
