package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.StoredShapes;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Ring;
import io.howdah.objects.Orphans;
import io.howdah.objects.PersistentType;
import io.howdah.objects.PersistentTypes;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.stm.Attempt;
import io.howdah.txn.stm.AttemptPool;
import io.howdah.txn.stm.Committer;
import io.howdah.txn.stm.Hooks;
import io.howdah.txn.stm.IrrevocableGate;
import io.howdah.txn.stm.LaneWatch;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.RetryWaits;
import io.howdah.txn.stm.TimeLimits;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.stm.TxRunner;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.StackReserve;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Collections and objects over words in memory: transactions without log, files and waits for
 * durability. What a store does around a transaction of collections, it does too: it lets tables
 * grow after a commit and runs hooks, those for stability at once. Thread-safe.
 */
public final class WordStore implements AutoCloseable {

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
  private final Transactions transactions = new OfWords();
  private final Catalogue catalogue = new Catalogue(transactions);
  private final PersistentCollections collections;
  private final PersistentTypes types;

  private WordStore(WordOptions options, Region region) {
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
            execution,
            (id, counters) -> new Attempt(engine, id, counters, new CollectionScratch()));
    LaneWatch watch = new LaneWatch(lanes, attempts, gate, lifecycle, execution, lifecycle::fail);
    lanes.whenWaitIsLong(watch);
    collections =
        new PersistentCollections(transactions, catalogue, options.codecs(), options.expiryClock());
    types = new PersistentTypes(transactions, collections.ofObjects());
    if (region.getLong(RegionHeaderLayout.MAGIC_ADDRESS) == 0) {
      run(WordStore::initialise);
    }
  }

  /** Writes the header of a new region by a transaction, like a store. */
  private static void initialise(Tx tx) {
    Words words = TxHandle.of(tx).words();
    words.putUnchecked(RegionHeaderLayout.MAGIC_ADDRESS, RegionHeaderLayout.MAGIC);
    words.putUnchecked(RegionHeaderLayout.VERSION_ADDRESS, RegionHeaderLayout.VERSION);
    words.putUnchecked(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
  }

  public static WordStore inMemory() {
    return inMemory(WordOptions.defaults());
  }

  /** Returns a small store in which a test sets the time, and nothing reclaims what has expired. */
  static WordStore withoutReclaiming(InstantSource clock) {
    return inMemory(
        WordOptions.defaults()
            .withMaxSize(1 << 24)
            .withOrecs(1 << 12)
            .withPartitions(2)
            .withExecution(new NoReclaiming())
            .withClock(clock));
  }

  /** Creates one with a region of its own. */
  public static WordStore inMemory(WordOptions options) {
    return inMemory(options, options.allocate(options.maxSize()));
  }

  /** Creates one over a region, which it closes at its end. */
  public static WordStore inMemory(WordOptions options, Region region) {
    WordStore store = new WordStore(options, region);
    store.closing.add(region::close);
    return store;
  }

  /**
   * Creates one over this memory, whose words are what an earlier one has left there: a new opening
   * without a recovery.
   */
  public static WordStore open(WordMemory memory, WordOptions options) {
    return new WordStore(options, memory.region(options));
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
  public WordSession session() {
    return new WordSession(attempts, runner, limits, gate);
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
    attempt.words.tellCommitted();
    if (attempt.words.hasAfterCommit()) {
      growTables(attempt);
    }
    attempts.give(attempt);
    if (hooks != null) {
      hooks.committed();
      hooks.stable();
    }
    return lsn;
  }

  @SuppressWarnings("EmptyCatch") // a table that has not grown is only slower, as in a store
  private void growTables(Attempt attempt) {
    int added = attempt.words.operations.inserted;
    try {
      for (AfterCommit action : attempt.words.takeAfterCommit()) {
        action.run(attempt.words, added, body -> runner.runOnce(attempt, body));
      }
    } catch (RuntimeException e) {
      // as above
    }
  }

  // ---- Collections and types.

  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentMap<K, V> map(
      String name, Codec<K> keys, Codec<V> values, MapOption<? super V>... options) {
    return collections.map(name, keys, values, options);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentMap<K, V> map(
      String name, Class<K> keys, Class<V> values, MapOption<? super V>... options) {
    return collections.map(name, keys, values, options);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentSortedMap<K, V> sortedMap(
      String name, OrderedCodec<K> keys, Codec<V> values, MapOption<? super V>... options) {
    return collections.sortedMap(name, keys, values, options);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentSortedMap<K, V> sortedMap(
      String name, Class<K> keys, Class<V> values, MapOption<? super V>... options) {
    return collections.sortedMap(name, keys, values, options);
  }

  public <K, V> PersistentMultimap<K, V> multimap(
      String name, OrderedCodec<K> keys, OrderedCodec<V> values, ChangeJournal... journal) {
    return collections.multimap(name, keys, values, journal);
  }

  public <K, V> PersistentMultimap<K, V> multimap(String name, Class<K> keys, Class<V> values) {
    return collections.multimap(name, keys, values);
  }

  public <E> PersistentSet<E> set(String name, Codec<E> elements, ChangeJournal... journal) {
    return collections.set(name, elements, journal);
  }

  public <E> PersistentSet<E> set(String name, Codec<E> elements, Expiry expiry) {
    return collections.set(name, elements, expiry);
  }

  public <E> PersistentSet<E> set(String name, Class<E> elements) {
    return collections.set(name, elements);
  }

  public <E> PersistentList<E> list(String name, Codec<E> elements, ChangeJournal... journal) {
    return collections.list(name, elements, journal);
  }

  public <E> PersistentList<E> list(String name, Class<E> elements) {
    return collections.list(name, elements);
  }

  public <E> PersistentQueue<E> queue(String name, Codec<E> elements, ChangeJournal... journal) {
    return collections.queue(name, elements, journal);
  }

  public <E> PersistentQueue<E> queue(String name, Class<E> elements) {
    return collections.queue(name, elements);
  }

  public PersistentCounter counter(String name) {
    return collections.counter(name);
  }

  public PersistentBlob blob(String name) {
    return collections.blob(name);
  }

  public <T> PersistentType<T> type(Class<T> type, MethodHandles.Lookup lookup) {
    return type(type, lookup, PersistentType.Options.defaults());
  }

  public <T> PersistentType<T> type(
      Class<T> type, MethodHandles.Lookup lookup, PersistentType.Options options) {
    return types.open(type, lookup, options);
  }

  public <K, V> PersistentCache<K, V> cache(
      String name, Codec<K> keys, Codec<V> values, CacheOptions options) {
    return collections.cache(name, keys, values, options);
  }

  public <K, V> PersistentMap<K, V> mapToRead(String name, Codec<K> keys, Codec<V> values) {
    return collections.mapToRead(name, keys, values);
  }

  public <K, V> PersistentSortedMap<K, V> sortedMapToRead(
      String name, OrderedCodec<K> keys, Codec<V> values) {
    return collections.sortedMapToRead(name, keys, values);
  }

  public boolean drop(String name) {
    return collections.drop(name);
  }

  /** Returns the names of all collections with what each is. */
  public SortedMap<String, String> collections(Tx tx) {
    return collections.names(tx);
  }

  /** Returns the names of all types of objects, records, enums and sealed interfaces. */
  public SortedMap<String, String> types(Tx tx) {
    SortedMap<String, String> described = types.describe(tx);
    described.putAll(StoredShapes.describe(TxHandle.of(tx).words()));
    return described;
  }

  public Optional<Map<String, @Nullable Object>> properties(Tx tx, String type, long reference) {
    return types.properties(tx, type, reference);
  }

  public List<Orphans> orphans() {
    return read(tx -> Orphans.find(tx, types, catalogue));
  }

  // ---- What tests ask about the parts.

  public Catalogue catalogue() {
    return catalogue;
  }

  public PersistentTypes types() {
    return types;
  }

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

  /** Returns how many transactions wait, or have waited, in {@link Tx#retry}. */
  public long retries() {
    return attempts.counters()[Counters.RETRIES];
  }

  /** Returns how many irrevocable transactions run: 0 or 1. */
  public int irrevocableRunning() {
    return gate.isClosed() ? 1 : 0;
  }

  public long reclaimedEntries() {
    return collections.reclaimedEntries();
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
    collections.close();
    lifecycle.stop();
    limits.close();
    engine.heap().close();
    closing.forEach(Runnable::run);
    lifecycle.closed();
    return hasEnded;
  }

  /** What collections and types get to see. */
  private final class OfWords implements Transactions {

    @Override
    public Words use(Tx tx, Object structure) {
      return TxHandle.of(tx).use(engine, structure);
    }

    @Override
    public boolean isReadOnly() {
      return engine.isReadOnly();
    }

    @Override
    public boolean refusesSchemaChanges() {
      return false;
    }

    @Override
    public void requireOpen() {
      lifecycle.requireOpen();
    }

    @Override
    public long newestLsn() {
      return lsn();
    }

    @Override
    public long maxBlockBytes() {
      return engine.heap().maxBytes();
    }

    @Override
    public Execution execution() {
      return engine.execution();
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body)
        throws E {
      return WordStore.this.read(body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T readDurable(TxFunction<T, E> body)
        throws E {
      return WordStore.this.read(body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body)
        throws E {
      return WordStore.this.call(body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(
        TxOptions how, TxFunction<T, E> body) throws E {
      return WordStore.this.call(how, body);
    }
  }
}
