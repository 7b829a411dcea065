package io.howdah;

import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.collections.PersistentCollections;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Ring;
import io.howdah.objects.PersistentTypes;
import io.howdah.store.admin.AdminAnswers;
import io.howdah.store.admin.ManagementBean;
import io.howdah.store.open.OnClose;
import io.howdah.store.open.OpenedStore;
import io.howdah.store.open.OpeningListener;
import io.howdah.store.open.OpeningMessages;
import io.howdah.store.open.RegionHeader;
import io.howdah.store.open.SpareMemory;
import io.howdah.store.open.StoreFactory;
import io.howdah.store.open.StoreFailure;
import io.howdah.store.open.StoreOpening;
import io.howdah.store.open.UninterruptedCall;
import io.howdah.txn.Durability;
import io.howdah.txn.SnapshotLostException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.alloc.RecoveredWords;
import io.howdah.txn.alloc.TouchAhead;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.TimeLimits;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.StackReserve;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A persistent store: memory that transactions change, and that outlives the process.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("bank"))) {
 *   long account = store.call(tx -> tx.allocate(8));
 *   store.run(tx -> tx.putLong(account, tx.getLong(account) + 100));
 * }
 * }</pre>
 *
 * <p>Transactions are atomic, isolated (serializable, in the order of their LSNs) and as durable as
 * {@link Durability} says. Bodies run in the calling thread, platform or virtual, and again after a
 * conflict. A body may call methods of other stores, but a transaction of the same store belongs
 * into its own through {@link Tx#run} and {@link Tx#call}.
 *
 * <p>An exception that leaves a body undoes the transaction and comes out of the store's method, if
 * what the body had read is still current; otherwise the body runs again. Interrupts neither end a
 * transaction nor a wait for durability; they stay set.
 *
 * <p>Methods that return when something is durable throw {@link NotYetDurableException} if that
 * takes longer than {@link StoreOptions#durabilityTimeout}, by default a minute: the transaction
 * has committed then, and is not to be run again.
 *
 * <p>All methods throw {@link StoreClosedException} once {@link #close} was called, and {@link
 * StoreFailedException} once a failure has stopped the store. A {@code StoreFailedException} out of
 * a method that runs a transaction leaves open whether it happened; the next opening tells.
 *
 * <p>Thread-safe.
 */
public final class Store extends StoreStructures implements AutoCloseable {

  static {
    StoreFactory.makeBy(new Maker());
  }

  private static final long COMMIT_DRAIN_NANOS = 5_000_000_000L;
  private static final TxOptions ASYNC_READ = TxOptions.async().withReadOnly();
  private static final TxOptions SYNC_READ = TxOptions.sync().withReadOnly();
  private static final TxOptions DEFAULTS = TxOptions.defaults();
  private static final TxOptions READ = TxOptions.defaults().withReadOnly();
  private static final long POLL_NANOS = 1_000_000;

  private final TxEnvironment engine;
  private final @Nullable RedoLog log;
  private final Lifecycle lifecycle;
  private final StoreOptions options;
  private final DurabilityWaits waits;
  private final Transactor transactor;
  private final StoreDurability durability;
  private final StoreAdmin admin;
  private final OnClose onClose;
  private final Transactions transactions = new OfStore();
  private final Catalogue catalogue = new Catalogue(transactions);
  private final PersistentCollections collections;
  private final PersistentTypes types;

  /** Ends the admin socket and the management bean, before the store closes. */
  private final List<Runnable> onClosing = new CopyOnWriteArrayList<>();

  /**
   * Creates a store from the parts that an opening has made.
   *
   * @param asked what the opening was asked for; the store's own dimensions take their place
   */
  Store(OpenedStore opened, StoreOptions asked) {
    this(opened, asked, null);
  }

  /**
   * Creates a store from the parts that an opening has made.
   *
   * @param directory that it was opened in, null if it lies on a storage or in memory
   */
  private Store(OpenedStore opened, StoreOptions asked, @Nullable Path directory) {
    StackReserve.prepare();
    this.options = asked.of(opened.dimensions());
    this.log = opened.log();
    this.lifecycle = opened.lifecycle();
    this.onClose = opened.onClose();
    this.engine = engine(opened, options);
    this.collections =
        new PersistentCollections(transactions, catalogue, options.codecs(), options.expiryClock());
    this.types = new PersistentTypes(transactions, collections.ofObjects());
    GuardedTimings timings = timings(options);
    StoreFailure failing = new StoreFailure(lifecycle, log);
    this.waits = new DurabilityWaits(opened, options, timings);
    this.transactor =
        timings == null
            ? new Transactor(engine, options, waits, failing)
            : new TimedTransactor(engine, options, waits, failing, timings);
    if (timings != null) {
      tellTimes(opened, timings);
    }
    transactor.runUnchecked(new RegionHeader.Initialisation(opened.mayBeNew(), engine));
    this.durability =
        new StoreDurability(lifecycle, transactor, waits, engine.lanes().partitions());
    this.admin =
        new StoreAdmin(
            opened,
            options,
            directory,
            engine,
            transactor,
            waits,
            transactions,
            catalogue,
            types,
            collections);
  }

  private static @Nullable GuardedTimings timings(StoreOptions options) {
    StoreTimings timings = options.timings().orElse(null);
    return timings == null ? null : new GuardedTimings(timings, options.execution());
  }

  private static void tellTimes(OpenedStore opened, GuardedTimings timings) {
    RedoLog log = opened.log();
    if (log != null) {
      log.whenForced(timings::force);
    }
    CheckpointThread checkpoints = opened.checkpoints();
    if (checkpoints != null) {
      checkpoints.whenTaken(timings::checkpoint);
    }
  }

  private static TxEnvironment engine(OpenedStore opened, StoreOptions options) {
    DeferredReplay replay = opened.replay();
    Heap heap =
        new Heap(
            opened.region(),
            options.partitions(),
            new Replayed(replay),
            options.maxSize(),
            touchAhead(opened, options));
    return new TxEnvironment(
        opened.region(),
        opened.orecs(),
        heap,
        opened.lanes(),
        opened.dirtyPages(),
        replay,
        options.execution(),
        opened.lifecycle(),
        Ring.maxRecordBytes(options.ringBytes()),
        options.readOnly() ? 0 : options.maxTransactionBytes());
  }

  /**
   * Returns what touches memory ahead of the data, null where nothing grows. A simulator would see
   * accesses that no transaction makes, and its memory has no pages to wait for.
   */
  private static @Nullable TouchAhead touchAhead(OpenedStore opened, StoreOptions options) {
    if (options.readOnly() || isMemoryObserved(options)) {
      return null;
    }
    DeferredReplay replay = opened.replay();
    SpareMemory spare = SpareMemory.ofProcess();
    return new TouchAhead(
        options.execution(), opened.region(), new SpareOnceReplayed(replay, spare));
  }

  private static boolean isMemoryObserved(StoreOptions options) {
    Storage storage = options.storage().orElse(null);
    return storage != null && storage.observesMemory();
  }

  // What an opening gives to others: classes, since the JVM would make one for each lambda first.

  private static final class Maker implements BiFunction<OpenedStore, Object, AutoCloseable> {
    @Override
    public AutoCloseable apply(OpenedStore parts, Object options) {
      return new Store(parts, (StoreOptions) options);
    }
  }

  private record Replayed(@Nullable DeferredReplay replay) implements RecoveredWords {
    @Override
    public void require(long address, long lengthBytes) {
      if (replay != null) {
        replay.require(address, lengthBytes);
      }
    }
  }

  private record SpareOnceReplayed(@Nullable DeferredReplay replay, SpareMemory spare)
      implements BooleanSupplier {
    @Override
    public boolean getAsBoolean() {
      return (replay == null || replay.isDone()) && spare.getAsBoolean();
    }
  }

  /** Opens a store, which the directory leads to or the options name. */
  private record Opening(StoreOptions options, @Nullable Path directory, OpeningListener listener)
      implements Supplier<Store>, Function<OpenedStore, Store> {
    @Override
    public Store get() {
      Storage storage =
          directory == null ? options.storage().orElseThrow() : storage(directory, options);
      GuardedTimings timings = timings(options);
      OpeningListener told = timings == null ? listener : timings.opening(listener);
      return new StoreOpening(storage, options.opening(), told).open(this);
    }

    @Override
    public Store apply(OpenedStore opened) {
      return new Store(opened, options, directory);
    }
  }

  /** Opens the store in a directory with default options; see {@link #open(Path, StoreOptions)}. */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /**
   * Opens the store in a directory, or creates one there if the directory is empty or absent,
   * unless {@link StoreOptions#readOnly} says that nothing is to be written. When this returns,
   * everything is recovered that was promised, and {@link StoreAdmin#recoveryReport} says what that
   * was. What the log holds of it may still be on its way into memory, where transactions find it
   * as if it were there; {@link StoreAdmin#replayStats} says how far that is.
   *
   * @param options {@link StoreOptions#storage} must not be set; use {@link #open(StoreOptions)}
   * @throws io.howdah.core.storage.StoreLockedException if the store is open already, unless both
   *     openings are for reading only; names the holder
   * @throws UnsupportedStoreException if the directory holds something else, a store of a newer
   *     format, or lies where stores do not work
   * @throws io.howdah.core.CorruptStoreException if something that was durable is missing or
   *     damaged; nothing was changed then
   * @throws io.howdah.core.storage.StorageException if files cannot be read or written
   */
  public static Store open(Path directory, StoreOptions options) {
    if (options.storage().isPresent()) {
      throw new IllegalArgumentException(
          "options name a storage, so " + directory + " would not be used; give one of the two");
    }
    if (options.archive().isPresent()) {
      StoreAdmin.requireOutside(directory, options.archive().get());
    }
    OpeningMessages messages = new OpeningMessages(options.execution());
    Store store =
        UninterruptedCall.call(
            options.execution(), "howdah-open", new Opening(options, directory, messages));
    try {
      messages.write();
      if (options.adminSocket()) {
        store.onClosing.add(AdminAnswers.open(new StoreUpkeep(store.admin), directory)::close);
      }
      if (options.managementBean()) {
        store.onClosing.add(ManagementBean.register(new StoreBean(store.admin), directory)::close);
      }
      return store;
    } catch (Throwable t) {
      try {
        store.close();
      } catch (RuntimeException e) {
        t.addSuppressed(e);
      }
      throw t;
    }
  }

  private static Storage storage(Path directory, StoreOptions options) {
    FileStorageOptions how = FileStorageOptions.DEFAULT;
    return FileStorage.open(
        directory, options.readOnly() ? how.withReadOnly(true).withCreate(false) : how);
  }

  /** Opens the store on {@link StoreOptions#storage}, which closing the store closes too. */
  public static Store open(StoreOptions options) {
    if (options.storage().isEmpty()) {
      throw new IllegalArgumentException("options name no storage; name a directory");
    }
    return UninterruptedCall.call(
        options.execution(), "howdah-open", new Opening(options, null, OpeningListener.NONE));
  }

  /** Creates a store in memory with default options; see {@link #inMemory(StoreOptions)}. */
  public static Store inMemory() {
    return inMemory(StoreOptions.defaults());
  }

  /**
   * Creates a store in memory: nothing survives, everything else is the same. For unit tests, and
   * for measuring what durability costs. Every commit counts as stable at once.
   *
   * @param options those that concern log and files have no effect; memory comes from {@link
   *     StoreOptions#withStorage} if that is set
   */
  public static Store inMemory(StoreOptions options) {
    LongFunction<Region> memory =
        options.storage().<LongFunction<Region>>map(s -> s::allocate).orElse(Regions::anonymous);
    boolean observed = isMemoryObserved(options);
    List<Runnable> closing = new ArrayList<>();
    OnClose free = _ -> closing.forEach(Runnable::run);
    LongFunction<Region> kept =
        length -> {
          Region region = memory.apply(length);
          closing.add(region::close);
          return region;
        };
    try {
      Region data = kept.apply(options.maxSize());
      OrecTable orecs = OrecTable.create(options.orecs(), !observed, kept);
      closing.add(orecs::close);
      Region words = kept.apply(CommitLanes.wordsLengthBytes(options.partitions()));
      Lifecycle lifecycle = new Lifecycle();
      CommitLanes lanes =
          CommitLanes.unlogged(
              words, options.partitions(), options.execution(), lifecycle::failIfStopped);
      return new Store(
          OpenedStore.inMemory(data, orecs, lanes, lifecycle, options.dimensions(), free), options);
    } catch (Throwable t) {
      free.close(false);
      throw t;
    }
  }

  /** Returns what the store's structures belong to. */
  TxEnvironment engine() {
    return engine;
  }

  /** Returns the names of collections. */
  Catalogue catalogue() {
    return catalogue;
  }

  @Override
  PersistentCollections collections() {
    return collections;
  }

  @Override
  PersistentTypes types() {
    return types;
  }

  // ---- Transactions.

  /**
   * Runs a transaction with default options; see {@link #run(TxOptions, TxBody)}.
   *
   * @return its LSN; see {@link Receipt#lsn}
   */
  public <E extends Exception> long run(TxBody<E> body) throws E {
    return transactor.run(DEFAULTS, body);
  }

  /**
   * Runs a transaction. A body that only reads, and returns nothing, runs best with {@link
   * TxOptions#withReadOnly}.
   *
   * @return its LSN; see {@link Receipt#lsn}
   */
  public <E extends Exception> long run(TxOptions how, TxBody<E> body) throws E {
    return transactor.run(how, body);
  }

  /** Runs a transaction with default options and returns its body's result. */
  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    return transactor.call(DEFAULTS, body);
  }

  /** Runs a transaction and returns its body's result. */
  public <T extends @Nullable Object, E extends Exception> T call(
      TxOptions how, TxFunction<T, E> body) throws E {
    return transactor.call(how, body);
  }

  /** Runs a transaction and returns its body's result together with its LSN. */
  public <T extends @Nullable Object, E extends Exception> Receipt<T> callWithReceipt(
      TxOptions how, TxFunction<T, E> body) throws E {
    return transactor.callWithReceipt(how, body);
  }

  /**
   * Runs a transaction that does not write, with default options; see {@link #read(TxOptions,
   * TxFunction)}.
   */
  public <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E {
    return transactor.read(READ, body);
  }

  /**
   * Runs a transaction that does not write, and returns its body's result. It changes no word that
   * other transactions see, so it disturbs none of them. Nor is it disturbed, however long it is:
   * once it has read a few thousand words, or has lost against writers three times, it reads the
   * state at one LSN while writers go on.
   *
   * <p>In the body of another transaction it does not see what that one has written. Read with the
   * body's own {@code Tx} there.
   *
   * @param how in {@link Durability#SYNC} the result is returned once all it rests on is durable,
   *     so that no program sees what a power cut may take back; on a full disk this may take until
   *     {@link NotYetDurableException}. {@link Durability#ASYNC} returns it at once
   * @throws SnapshotLostException if writers overwrite more, while a long transaction runs, than
   *     the store remembers: about a million words
   */
  public <T extends @Nullable Object, E extends Exception> T read(
      TxOptions how, TxFunction<T, E> body) throws E {
    return transactor.read(how.withReadOnly(), body);
  }

  /** Returns a session: transactions of one thread that the program begins and ends itself. */
  public Session session() {
    lifecycle.requireOpen();
    return new Session(transactor);
  }

  /** Returns what tells, by LSNs, which commits survive a power cut, and waits for it. */
  public StoreDurability durability() {
    return durability;
  }

  /** Returns what inspects and maintains the store: checkpoints, backups, statistics. */
  public StoreAdmin admin() {
    return admin;
  }

  // ---- The end.

  /**
   * Closes the store, with {@link StoreOptions#closeTimeout} for what still runs; see {@link
   * #close(Duration)}.
   *
   * @throws StoreFailedException if not everything could be forced
   */
  @Override
  public void close() {
    close(options.closeTimeout());
  }

  /**
   * Closes the store. New transactions are refused at once. Running ones have a time to end; after
   * that a running body gets {@link StoreClosedException} from its next read, or instead of its
   * commit, and nothing of it happened. Then everything committed is forced, whatever its {@link
   * Durability}. Threads that wait for durability see the last force, and have that time again.
   *
   * <p>On a full disk what cannot be forced is given {@link StoreOptions#closeTimeout}; then this
   * throws {@link StoreFailedException}, and what has committed survives in memory like after a
   * kill. A completion executor that blocks is waited for ten seconds. The one wait without an end
   * is for a call of the operating system that does not return, as when a disk has gone: memory and
   * files that it may still use are not given back before it does. The log of the program names it.
   *
   * <p>Idempotent; a second caller waits for the first, whose timeout counts. Called from within a
   * body it waits in vain, since that body cannot end, and takes the whole timeout.
   *
   * @param timeout 0 or less does not wait
   * @return whether every transaction and every wait ended by itself; a second caller is told true
   * @throws StoreFailedException if not everything could be forced
   */
  public boolean close(Duration timeout) {
    long timeoutNanos = TimeLimits.nanos(timeout);
    StackReserve.require(); // an overflow later would keep files and lock
    if (!lifecycle.startClosing()) {
      await(Long.MAX_VALUE, lifecycle::isClosed);
      return true;
    }
    try {
      onClosing.forEach(Runnable::run);
      return shutDown(timeoutNanos);
    } finally {
      lifecycle.closed(); // whatever happened: a second caller waits for it
    }
  }

  private boolean shutDown(long timeoutNanos) {
    boolean ended = false;
    boolean quiescent = false;
    try {
      ended = await(timeoutNanos, transactor::drain);
      collections.close();
      transactor.reportFailure(); // or the log would not know of a failure that was noted only
      lifecycle.stop();
      // A commit that broke off holds its lane for ever.
      quiescent = lifecycle.failure() == null && engine.lanes().awaitIdle(COMMIT_DRAIN_NANOS);
      if (log != null && quiescent) {
        log.awaitStable(engine.lanes().clock(), options.closeTimeout().toNanos());
      }
    } catch (StoreFailedException e) {
      quiescent = false; // whoever waited has been told the same
    } finally {
      ended &= await(timeoutNanos, waits::isIdle);
      try {
        engine.heap().close();
        onClose.close(quiescent);
      } finally {
        transactor.close();
        waits.close();
      }
    }
    return ended;
  }

  /** Waits for a condition, for a limited time, and returns whether it came true. */
  private boolean await(long timeoutNanos, BooleanSupplier condition) {
    var execution = options.execution();
    long started = execution.nanoTime();
    while (!condition.getAsBoolean()) {
      if (execution.nanoTime() - started >= timeoutNanos) {
        return false;
      }
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
    return true;
  }

  /** What collections and types get to see of the store. */
  private final class OfStore implements Transactions {

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
      return options.schemaChanges() == SchemaChanges.REFUSE;
    }

    @Override
    public void requireOpen() {
      lifecycle.requireOpen();
    }

    @Override
    public long newestLsn() {
      return engine.lanes().clock();
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
      return transactor.read(ASYNC_READ, body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T readDurable(TxFunction<T, E> body)
        throws E {
      return transactor.read(SYNC_READ, body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body)
        throws E {
      return transactor.call(DEFAULTS, body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(
        TxOptions how, TxFunction<T, E> body) throws E {
      return transactor.call(how, body);
    }
  }
}
