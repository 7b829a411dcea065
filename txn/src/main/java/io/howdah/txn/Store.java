package io.howdah.txn;

import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.recovery.RecoveryReport;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.BlockLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.FileStorage;
import io.howdah.core.storage.Regions;
import io.howdah.core.storage.Storage;
import io.howdah.log.CommitLanes;
import io.howdah.log.RedoLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A region of memory that transactions change, and that outlives the process: the door to Howdah.
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
 * <p>All methods throw {@link StoreClosedException} once {@link #close} was called, and {@link
 * StoreFailedException} once a failure has stopped the store. A {@code StoreFailedException} out of
 * a method that runs a transaction leaves open whether it happened; the next opening tells.
 *
 * <p>Thread-safe.
 */
public final class Store implements AutoCloseable {

  private static final long LONGEST_WAIT_NANOS = 1_000_000_000;
  private static final long COMMIT_DRAIN_NANOS = 5_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;

  private final Engine engine;
  private final CommitLanes lanes;
  private final @Nullable RedoLog log;
  private final @Nullable CheckpointThread checkpoints;
  private final Lifecycle lifecycle;
  private final StoreOptions options;
  private final ContextPool contexts;
  private final IrrevocableGate gate;
  private final Committer committer;
  private final TxRunner runner;
  private final @Nullable RecoveryReport recovery;
  private final OnClose onClose;
  private final LongAdder waiters = new LongAdder();

  /**
   * Wraps what an opening has put together.
   *
   * @param region recovered, or zeroed
   * @param orecWords zeroed, for {@code options.orecs()}
   * @param lanes in the state that recovery left the log in
   * @param log the log behind the lanes, or null if there is none
   * @param dirtyPages told of every page that commits change, or null
   * @param checkpoints takes checkpoints, or null
   * @param lifecycle what {@code lanes} looks at, if they have no log
   * @param recovery what the opening found, or null if there was nothing to find
   * @param onClose closes log and memory; runs once, with no commit under way
   */
  Store(
      Region region,
      Region orecWords,
      CommitLanes lanes,
      @Nullable RedoLog log,
      @Nullable DirtyPages dirtyPages,
      @Nullable CheckpointThread checkpoints,
      Lifecycle lifecycle,
      StoreOptions options,
      @Nullable RecoveryReport recovery,
      OnClose onClose) {
    this.recovery = recovery;
    this.engine =
        new Engine(
            region,
            new OrecTable(orecWords, options.orecs()),
            new SizeClassAllocator(region.capacityBytes()),
            lanes,
            dirtyPages,
            options.execution(),
            lifecycle,
            Math.min(options.ringBytes() / 4, RedoRecordLayout.MAX_LENGTH),
            options.maxTransactionBytes());
    this.lanes = lanes;
    this.log = log;
    this.checkpoints = checkpoints;
    this.lifecycle = lifecycle;
    this.options = options;
    this.onClose = onClose;
    this.gate = new IrrevocableGate(lanes, this::fail);
    this.committer = new Committer(engine, this::fail);
    this.runner = new TxRunner(engine, committer, gate, options.irrevocableAfterAborts());
    this.contexts =
        new ContextPool(
            options.execution(), (home, counters) -> new TxContext(engine, home, counters));
    initialiseRegion();
  }

  /** Opens the store in a directory with default options; see {@link #open(Path, StoreOptions)}. */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /**
   * Opens the store in a directory, or creates one there if the directory is empty or absent. When
   * this returns, everything is recovered that was promised, and {@link #recoveryReport} says what
   * that was.
   *
   * @param options {@link StoreOptions#storage} must not be set; use {@link #open(StoreOptions)}
   * @throws io.howdah.core.storage.StoreLockedException if the store is open already; names the
   *     holder
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
    return EngineThread.call(
        options.execution(),
        "howdah-open",
        () -> new StoreOpening(FileStorage.open(directory), options).open());
  }

  /** Opens the store on {@link StoreOptions#storage}, which closing the store closes too. */
  public static Store open(StoreOptions options) {
    Storage storage =
        options
            .storage()
            .orElseThrow(
                () -> new IllegalArgumentException("options name no storage; name a directory"));
    return EngineThread.call(
        options.execution(), "howdah-open", () -> new StoreOpening(storage, options).open());
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
   *     StoreOptions#storage(io.howdah.core.storage.Storage)} if that is set
   */
  public static Store inMemory(StoreOptions options) {
    LongFunction<Region> memory =
        options.storage().<LongFunction<Region>>map(s -> s::allocate).orElse(Regions::anonymous);
    List<Region> regions = new ArrayList<>();
    OnClose free = _ -> regions.forEach(Region::close);
    try {
      regions.add(memory.apply(options.maxSize()));
      regions.add(memory.apply(OrecTable.lengthBytes(options.orecs())));
      regions.add(memory.apply(CommitLanes.wordsLengthBytes(options.partitions())));
      Lifecycle lifecycle = new Lifecycle();
      CommitLanes lanes =
          CommitLanes.unlogged(
              regions.get(2), options.partitions(), options.execution(), lifecycle::failIfStopped);
      return new Store(
          regions.get(0), regions.get(1), lanes, null, null, null, lifecycle, options, null, free);
    } catch (Throwable t) {
      free.close(false);
      throw t;
    }
  }

  /**
   * A new region gets its header by a transaction, so that recovery finds it like any other data.
   */
  private void initialiseRegion() {
    TxContext context = contexts.take();
    try {
      runner.execute(
          context,
          false,
          false,
          _ -> {
            long magic = context.getUnchecked(RegionHeaderLayout.MAGIC_ADDRESS);
            if (magic == 0) {
              context.putUnchecked(RegionHeaderLayout.MAGIC_ADDRESS, RegionHeaderLayout.MAGIC);
              context.putUnchecked(RegionHeaderLayout.VERSION_ADDRESS, RegionHeaderLayout.VERSION);
              context.putUnchecked(RegionHeaderLayout.TOP_ADDRESS, BlockLayout.FIRST_TOP);
            } else {
              requireKnownRegion(magic, context.getUnchecked(RegionHeaderLayout.VERSION_ADDRESS));
            }
            return 0;
          });
    } finally {
      contexts.give(context);
    }
  }

  private static void requireKnownRegion(long magic, long version) {
    if (magic != RegionHeaderLayout.MAGIC || version != RegionHeaderLayout.VERSION) {
      throw new UnsupportedStoreException(
          "the store's data has a layout unknown to this version of Howdah: magic "
              + Long.toHexString(magic)
              + ", version "
              + version
              + "; open it with the version that wrote it");
    }
  }

  /**
   * Returns what opening the store came upon.
   *
   * @throws IllegalStateException if the store is in memory: there was nothing to recover
   */
  public RecoveryReport recoveryReport() {
    if (recovery == null) {
      throw new IllegalStateException("a store in memory recovers nothing");
    }
    return recovery;
  }

  // ---- Transactions.

  /**
   * Runs a transaction.
   *
   * @return its LSN; see {@link Commit#lsn}
   */
  public <E extends Exception> long run(TxBody<E> body) throws E {
    return run(options.defaultDurability(), body);
  }

  /**
   * Runs a transaction.
   *
   * @return its LSN; see {@link Commit#lsn}
   */
  public <E extends Exception> long run(Durability durability, TxBody<E> body) throws E {
    TxContext context = take();
    try {
      runner.execute(context, false, false, body);
    } catch (Throwable t) {
      leaveAfter(t, context, durability);
      throw t;
    }
    return leave(context, durability);
  }

  /** Runs a transaction and returns its body's result. */
  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    return call(options.defaultDurability(), body);
  }

  /** Runs a transaction and returns its body's result. */
  public <T extends @Nullable Object, E extends Exception> T call(
      Durability durability, TxFunction<T, E> body) throws E {
    return execute(durability, false, body);
  }

  /**
   * Runs a transaction that does not write. It changes no word that others see, so it disturbs
   * nobody.
   */
  public <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E {
    return read(options.defaultDurability(), body);
  }

  /**
   * Runs a transaction that does not write.
   *
   * @param durability {@link Durability#SYNC} returns the result once all it rests on is durable
   */
  public <T extends @Nullable Object, E extends Exception> T read(
      Durability durability, TxFunction<T, E> body) throws E {
    return execute(durability, true, body);
  }

  private <T extends @Nullable Object, E extends Exception> T execute(
      Durability durability, boolean readOnly, TxFunction<T, E> body) throws E {
    TxContext context = take();
    T result;
    try {
      result = runner.execute(context, readOnly, false, body);
    } catch (Throwable t) {
      leaveAfter(t, context, durability);
      throw t;
    }
    leave(context, durability);
    return result;
  }

  /** Runs a transaction and returns its result together with its LSN. */
  public <T extends @Nullable Object, E extends Exception> Commit<T> submit(
      Durability durability, TxFunction<T, E> body) throws E {
    return submit(TxOptions.of(durability), body);
  }

  /** Runs a transaction and returns its result together with its LSN. */
  public <T extends @Nullable Object, E extends Exception> Commit<T> submit(
      TxOptions how, TxFunction<T, E> body) throws E {
    TxContext context = take();
    T result;
    try {
      result = runner.execute(context, how.isReadOnly(), how.isIrrevocable(), body);
    } catch (Throwable t) {
      leaveAfter(t, context, how.durability());
      throw t;
    }
    long lsn = leave(context, how.durability());
    return new Commit<>(this, result, lsn);
  }

  private TxContext take() {
    StackReserve.require();
    TxContext context = contexts.take();
    try {
      lifecycle.requireOpen();
    } catch (RuntimeException e) {
      contexts.give(context);
      throw e;
    }
    return context;
  }

  /** Gives the context back and waits for what the outcome rests on; returns its LSN. */
  private long leave(TxContext context, Durability durability) {
    long lsn = context.lsn();
    if (durability == Durability.ASYNC || log == null) {
      contexts.give(context);
      return lsn;
    }
    // Counted before the context is back, so that close() waits for one or the other.
    waiters.increment();
    try {
      contexts.give(context);
      awaitForce(log, lsn);
    } catch (IllegalStateException e) {
      throw gone(e);
    } finally {
      waiters.decrement();
    }
    return lsn;
  }

  /**
   * Says why memory is gone, which a close has taken that did not wait for this call: the same as a
   * call a little later would say.
   */
  private RuntimeException gone(IllegalStateException thrown) {
    if (!lifecycle.isStopped()) {
      return thrown;
    }
    Throwable failure = log == null ? lifecycle.failure() : log.failure();
    return failure == null
        ? new StoreClosedException("the store was closed meanwhile", thrown)
        : new StoreFailedException(
            "the store stopped after a failure; open it again to recover every acknowledged commit: "
                + failure,
            failure);
  }

  /** Waits without limit; the log ends the wait when it stops. */
  private static void awaitForce(RedoLog log, long lsn) {
    while (!log.awaitStable(lsn, LONGEST_WAIT_NANOS)) {
      // Not yet: the limit is there so that no wait outlives what wakes it.
    }
  }

  /** Gives the context back after an exception, which waits for what it rests on like a result. */
  private void leaveAfter(Throwable thrown, TxContext context, Durability durability) {
    try {
      leave(context, durability);
    } catch (RuntimeException e) {
      if (!e.equals(thrown)) {
        thrown.addSuppressed(e);
      }
    }
  }

  // ---- Transactions without a body.

  /** Begins a transaction with default options; see {@link #begin(TxOptions)}. */
  public Tx begin() {
    return begin(TxOptions.of(options.defaultDurability()));
  }

  /**
   * Begins a transaction that the caller ends: for frameworks that cannot pass a body. Every one
   * must be ended, by {@link #commit} or {@link #abort}, in the same thread; after an exception,
   * too.
   *
   * <p>Any read may throw {@link ConflictException}; then the transaction has to be aborted and
   * everything repeated.
   */
  public Tx begin(TxOptions how) {
    TxContext context = take();
    boolean entered = false;
    try {
      if (how.isIrrevocable()) {
        entered = gate.enter();
        context.counters.increment(Counters.IRREVOCABLE);
      }
      Tx tx = context.begin(how.isReadOnly());
      context.explicit(new ExplicitTx(this, tx, Thread.currentThread(), how, entered));
      return tx;
    } catch (Throwable t) {
      contexts.give(context);
      if (entered) {
        gate.leave();
      }
      throw t;
    }
  }

  /**
   * Commits a transaction that {@link #begin()} has begun. Whatever comes of it, the transaction
   * has ended.
   *
   * @return its LSN; see {@link Commit#lsn}
   * @throws ConflictException if it lost against another one; nothing of it happened
   */
  public long commit(Tx tx) {
    StackReserve.require();
    TxContext context = tx.context();
    ExplicitTx explicit = context.explicit();
    if (explicit == null || !explicit.isEndedBy(this, tx)) {
      throw new TransactionStateException(
          "this is no transaction that this thread has begun with Store.begin, here, and not"
              + " ended");
    }
    Durability durability = explicit.how().durability();
    try {
      runner.commit(context);
    } catch (Throwable t) {
      end(context, explicit);
      leaveAfter(t, context, durability);
      throw t;
    }
    end(context, explicit);
    return leave(context, durability);
  }

  /**
   * Aborts a transaction that {@link #begin()} has begun; nothing of it happened. No effect if it
   * has ended already, so it may stand in a {@code finally}. What the transaction has read may rest
   * on commits that are not durable yet.
   */
  public void abort(Tx tx) {
    TxContext context = tx.context();
    ExplicitTx explicit = context.explicit();
    if (explicit != null && explicit.isEndedBy(this, tx)) {
      AbortCause conflict = context.conflict();
      context.counters.increment(conflict == null ? AbortCause.EXPLICIT : conflict);
      end(context, explicit);
      contexts.give(context);
    }
  }

  private void end(TxContext context, ExplicitTx explicit) {
    context.end();
    context.explicit(null);
    if (explicit.entered()) {
      gate.leave();
    }
  }

  // ---- Durability.

  /**
   * Returns whether a commit, and all before it, survive a power cut by now. One read of memory.
   *
   * @param lsn as {@link #run} or {@link Commit#lsn} returned it
   */
  public boolean isStable(long lsn) {
    try {
      requireTaken(lsn);
      return log == null || log.stable() >= lsn;
    } catch (IllegalStateException e) {
      throw gone(e);
    }
  }

  /**
   * Waits until a commit, and all before it, survive a power cut. The wait makes the log force them
   * at once.
   *
   * @param lsn as {@link #run} or {@link Commit#lsn} returned it
   */
  public void awaitStable(long lsn) {
    awaitStable(lsn, Long.MAX_VALUE);
  }

  /**
   * Waits until a commit, and all before it, survive a power cut, for a limited time.
   *
   * @param timeout 0 or less only looks
   * @return whether they do
   */
  public boolean awaitStable(long lsn, Duration timeout) {
    boolean isCountable = timeout.toSeconds() < Long.MAX_VALUE / 1_000_000_000;
    return awaitStable(lsn, isCountable ? timeout.toNanos() : Long.MAX_VALUE);
  }

  private boolean awaitStable(long lsn, long timeoutNanos) {
    waiters.increment(); // close() lets those who came in time see the last force
    try {
      requireTaken(lsn);
      if (log == null) {
        return true;
      }
      if (timeoutNanos == Long.MAX_VALUE) {
        awaitForce(log, lsn);
        return true;
      }
      return log.awaitStable(lsn, timeoutNanos);
    } catch (IllegalStateException e) {
      throw gone(e);
    } finally {
      waiters.decrement();
    }
  }

  private void requireTaken(long lsn) {
    lifecycle.failIfStopped();
    if (lsn < 0 || lsn > lanes.clock()) {
      throw new IllegalArgumentException(
          "this store has given out LSNs from 1 to " + lanes.clock() + ", not " + lsn);
    }
  }

  // ---- Checkpoints.

  /**
   * Takes a checkpoint now, beside running transactions, and waits for it. Afterwards a crash costs
   * the replay of what was committed since the call began. The store takes checkpoints by itself as
   * {@link StoreOptions#recoveryGoal} demands, so this is for moments of one's own choice.
   *
   * @return what it did
   * @throws IllegalStateException if the store is in memory: it has no files
   * @throws io.howdah.core.storage.StorageException if the disk is full; the store goes on, with
   *     all of its log
   */
  public CheckpointReport checkpoint() {
    lifecycle.requireOpen();
    if (checkpoints == null) {
      throw new IllegalStateException("a store in memory has no checkpoints");
    }
    return CheckpointReport.of(checkpoints.checkpoint());
  }

  // ---- The store.

  /** Returns how the store was opened. */
  public StoreOptions options() {
    return options;
  }

  /** Returns counters and gauges. */
  public StoreStats stats() {
    lifecycle.failIfStopped();
    try {
      return readStats();
    } catch (IllegalStateException e) {
      throw gone(e);
    }
  }

  private StoreStats readStats() {
    long[] counters = contexts.counters();
    long lsn = lanes.clock();
    return new StoreStats(
        counters[Counters.COMMITS],
        counters[Counters.READ_ONLY_COMMITS],
        StoreStats.aborts(counters),
        counters[Counters.IRREVOCABLE],
        gate.isClosed() ? 1 : 0,
        counters[Counters.EXTENSIONS],
        counters[Counters.VOIDS],
        counters[Counters.PARTED_COMMITS],
        lsn,
        log == null ? lsn : log.stable(),
        log == null ? 0 : log.stats().batches(),
        engine.allocator().maxBytes(),
        engine.region().getLongOpaque(RegionHeaderLayout.TOP_ADDRESS),
        engine.region().capacityBytes());
  }

  /**
   * Closes the store. New transactions are refused at once. Running ones, and waits for durability,
   * have {@link StoreOptions#closeTimeout} to end; after that a running body gets {@link
   * StoreClosedException} from its next read, or instead of its commit. Then everything committed
   * is forced.
   *
   * <p>Idempotent; a second caller waits for the first. Called from within a body it waits in vain,
   * since that body cannot end, and takes the whole timeout.
   *
   * @throws StoreFailedException if not everything could be forced
   */
  @Override
  public void close() {
    if (lifecycle.startClosing()) {
      shutDown();
    } else {
      await(Long.MAX_VALUE, lifecycle::isClosed);
    }
  }

  private void shutDown() {
    long timeoutNanos = options.closeTimeout().toNanos();
    boolean quiescent = false;
    try {
      await(timeoutNanos, contexts::drain);
      lifecycle.stop();
      // A commit that broke off holds its lane for ever.
      quiescent = lifecycle.failure() == null && lanes.awaitIdle(COMMIT_DRAIN_NANOS);
      if (log != null && quiescent) {
        log.awaitStable(lanes.clock(), timeoutNanos);
      }
    } catch (StoreFailedException e) {
      quiescent = false; // whoever waited has been told the same
    } finally {
      await(timeoutNanos, () -> waiters.sum() == 0);
      try {
        onClose.close(quiescent);
      } finally {
        lifecycle.closed();
      }
    }
  }

  private void await(long timeoutNanos, BooleanSupplier condition) {
    Execution execution = options.execution();
    long started = execution.nanoTime();
    while (!condition.getAsBoolean() && execution.nanoTime() - started < timeoutNanos) {
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
  }

  /** Stops the store after a commit has broken off in its critical part. */
  private void fail(Throwable cause) {
    lifecycle.fail(cause);
    if (log != null) {
      log.fail(cause);
    }
  }

  @Override
  public String toString() {
    return "Store[" + (lifecycle.isClosed() ? "closed" : "open") + "]";
  }
}
