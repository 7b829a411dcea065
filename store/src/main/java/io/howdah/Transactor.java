package io.howdah;

import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.report.ProgramLog;
import io.howdah.txn.Durability;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Committer;
import io.howdah.txn.stm.ContextPool;
import io.howdah.txn.stm.Hooks;
import io.howdah.txn.stm.IrrevocableGate;
import io.howdah.txn.stm.LaneWatch;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.RetryWaits;
import io.howdah.txn.stm.TimeLimits;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.stm.TxRunner;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.StackReserve;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a store's transactions: takes a context, has it run, gives it back, lets tables grow, hands
 * the outcome over to the wait for durability, and runs the hooks. {@link Store}, {@link
 * DurableScope} and {@link Session} are made of it. Thread-safe.
 */
final class Transactor {

  private final Lifecycle lifecycle;
  private final ContextPool contexts;
  private final IrrevocableGate gate;
  private final TimeLimits limits;
  private final TxRunner runner;
  private final LaneWatch watch;
  private final DurabilityWaits waits;
  private final Durability defaultDurability;

  /**
   * Creates the transactor of a store.
   *
   * @param fatal stops the store
   */
  Transactor(
      TxEnvironment engine,
      StoreOptions options,
      DurabilityWaits waits,
      Consumer<Throwable> fatal) {
    this.lifecycle = engine.lifecycle();
    this.waits = waits;
    this.defaultDurability = options.defaultDurability();
    this.gate =
        new IrrevocableGate(
            engine.lanes(), lifecycle, fatal, new ProgramLog("io.howdah.txn", engine.execution()));
    RetryWaits retryWaits = new RetryWaits(engine.execution(), lifecycle);
    Committer committer = new Committer(engine, retryWaits, fatal);
    this.limits = new TimeLimits(engine.execution());
    this.runner =
        new TxRunner(engine, committer, gate, retryWaits, limits, options.irrevocableAfterAborts());
    this.contexts =
        new ContextPool(
            engine.execution(),
            (home, counters) -> new TxContext(engine, home, counters, new CollectionScratch()));
    this.watch =
        new LaneWatch(engine.lanes(), contexts, gate, lifecycle, engine.execution(), fatal);
    engine.lanes().watch(watch::run);
  }

  // ---- Transactions with a body.

  /** Runs a transaction and returns its LSN. */
  <E extends Exception> long run(TxOptions how, TxBody<E> body) throws E {
    Durability durability = durability(how);
    TxContext context = take();
    execute(context, how, durability, null, body);
    return leave(context, durability, null);
  }

  /** Runs a transaction and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxOptions how, TxFunction<T, E> body)
      throws E {
    Durability durability = durability(how);
    TxContext context = take();
    T result = execute(context, how, durability, null, body);
    leave(context, durability, result);
    return result;
  }

  /** Runs a transaction and returns its receipt, with its body's result. */
  <T extends @Nullable Object, E extends Exception> Receipt<T> callWithReceipt(
      TxOptions how, TxFunction<T, E> body) throws E {
    Durability durability = durability(how);
    TxContext context = take();
    // Made in the body: behind the commit there might be no memory for it.
    Receipt<T> receipt =
        execute(context, how, durability, null, tx -> new Receipt<>(waits, body.call(tx)));
    receipt.at(
        context.lsn(), context.recordPartition(), context.recordEnd(), context.recordDependency());
    leave(context, durability, receipt.value());
    return receipt;
  }

  /**
   * Runs a transaction that is waited for with others, and returns its LSN.
   *
   * @param commits take its outcome, whatever comes of it
   */
  <E extends Exception> long run(TxOptions how, CommitSet commits, TxBody<E> body) throws E {
    TxContext context = take();
    execute(context, how, Durability.ASYNC, commits, body);
    return leave(context, Durability.ASYNC, null);
  }

  /**
   * Runs a transaction that is waited for with others, and returns its body's result.
   *
   * @param commits take its outcome, whatever comes of it
   */
  <T extends @Nullable Object, E extends Exception> T call(
      TxOptions how, CommitSet commits, TxFunction<T, E> body) throws E {
    TxContext context = take();
    T result = execute(context, how, Durability.ASYNC, commits, body);
    leave(context, Durability.ASYNC, result);
    return result;
  }

  /**
   * Runs a body with a context that was taken. If something comes out of it, the context is given
   * back here; otherwise the caller leaves.
   *
   * @param durability what an exception waits for before it leaves
   * @param commits take the outcome, whatever it is; null if it is waited for by itself
   */
  private <T extends @Nullable Object, E extends Exception> T execute(
      TxContext context,
      TxOptions how,
      Durability durability,
      @Nullable CommitSet commits,
      TxFunction<T, E> body)
      throws E {
    T result;
    try {
      result = runner.execute(context, how, body);
    } catch (Throwable t) {
      if (commits != null) {
        commits.add(context);
      }
      leaveAfter(t, context, durability);
      throw t;
    }
    if (commits != null) {
      commits.add(context);
    }
    return result;
  }

  /**
   * Runs a transaction that does not write, and returns its body's result. It keeps no reserve of
   * stack, since it has no commit that could break off.
   *
   * @param how read-only
   */
  <T extends @Nullable Object, E extends Exception> T read(TxOptions how, TxFunction<T, E> body)
      throws E {
    return read(how, durability(how), null, body);
  }

  /**
   * Runs a transaction that does not write and is waited for with others, and returns its body's
   * result.
   *
   * @param how read-only
   * @param commits take what it has read, whatever comes of it
   */
  <T extends @Nullable Object, E extends Exception> T read(
      TxOptions how, CommitSet commits, TxFunction<T, E> body) throws E {
    return read(how, Durability.ASYNC, commits, body);
  }

  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private <T extends @Nullable Object, E extends Exception> T read(
      TxOptions how, Durability durability, @Nullable CommitSet commits, TxFunction<T, E> body)
      throws E {
    Thread caller = Thread.currentThread();
    TxContext context = contexts.take();
    context.holder = caller;
    try {
      admit(context);
      T result = execute(context, how, durability, commits, body);
      leave(context, durability, result);
      return result;
    } finally {
      // At the end of the stack not even the calls need succeed that give the context back. Fields
      // can always be set.
      if (context.holder == caller) {
        context.isLost = true;
        contexts.hasLost = true;
      }
    }
  }

  /**
   * Runs a transaction of the store's own, whose outcome nobody waits for.
   *
   * @param body gets the context, to use it past all checks
   */
  void runUnchecked(Consumer<TxContext> body) {
    TxContext context = contexts.take();
    try {
      runner.execute(
          context,
          false,
          false,
          _ -> {
            body.accept(context);
            return 0;
          });
    } finally {
      contexts.give(context);
    }
  }

  // ---- The frame: take, then leave, or leave after what was thrown.

  /** Returns the mode that options name, or the store's default. */
  Durability durability(TxOptions how) {
    Durability durability = how.durability();
    return durability == null ? defaultDurability : durability;
  }

  /** Takes a context for a transaction that may commit. */
  TxContext take() {
    StackReserve.require();
    TxContext context = contexts.take();
    admit(context);
    return context;
  }

  /** Gives a context back if the store takes no transaction. */
  private void admit(TxContext context) {
    try {
      lifecycle.requireOpen();
    } catch (RuntimeException e) {
      contexts.give(context);
      throw e;
    }
  }

  /**
   * Gives the context back and waits for what the outcome rests on; returns its LSN.
   *
   * @param result of the body, for the receipt of a wait that takes too long
   */
  private long leave(TxContext context, Durability durability, @Nullable Object result) {
    long lsn = context.lsn();
    Hooks hooks = context.takeHooks();
    if (hooks == null) {
      awaitOutcome(context, durability, null, result);
      return lsn;
    }
    @Nullable CompletionStage<@Nullable Void> stable;
    waits.delayClose(); // or it could end the log before the hooks have asked for its force
    try {
      awaitOutcome(context, durability, hooks, result);
      stable = waits.whenStable(hooks, lsn);
    } finally {
      waits.letClose();
    }
    waits.runHooks(hooks, stable);
    return lsn;
  }

  /** Gives the context back, then waits for what its outcome rests on. */
  private void awaitOutcome(
      TxContext context, Durability durability, @Nullable Hooks hooks, @Nullable Object result) {
    TimeLimits.Limit limit = context.takeLimit();
    if (waits.isAwaited(durability)) {
      CommitPoint point = point(context);
      giveBack(context);
      waits.awaitOutcome(durability, point, limit, hooks, result);
    } else {
      giveBack(context);
    }
  }

  /** Returns the outcome, null if there is no memory for it: nothing is thrown behind a commit. */
  private static @Nullable CommitPoint point(TxContext context) {
    try {
      return CommitPoint.of(context);
    } catch (VirtualMachineError e) {
      return null;
    }
  }

  /** Gives the context back after an exception, which waits for what it rests on like a result. */
  private void leaveAfter(Throwable thrown, TxContext context, Durability durability) {
    Hooks hooks = context.takeHooks();
    boolean isUndecided = context.isCommitUndecided();
    context.forgetAfterCommit();
    try {
      leave(context, durability, null);
    } catch (Throwable t) {
      if (!t.equals(thrown)) {
        thrown.addSuppressed(t);
      }
    }
    if (hooks != null && !isUndecided) {
      hooks.aborted();
    }
  }

  /**
   * Lets tables grow that the commit has found too full, and gives its context back. Throws
   * nothing: the transaction has ended.
   */
  @SuppressWarnings("EmptyCatch") // said below
  private void giveBack(TxContext context) {
    if (context.hasAfterCommit()) {
      growTables(context);
    }
    try {
      contexts.give(context);
    } catch (Throwable t) {
      // The pool finds it again. The outcome stands, and the caller has to learn it.
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void growTables(TxContext context) {
    int added = context.operations.inserted;
    try {
      StackReserve.require();
      for (AfterCommit action : context.takeAfterCommit()) {
        action.run(context, added, body -> runner.attempt(context, body));
      }
    } catch (Throwable t) {
      // The heap is full, the stack ends here, the store was closed or has failed. The commit has
      // happened, and a table that has not grown is only slower; whoever finds it too full next
      // tries again.
    }
  }

  // ---- Transactions that their user begins and ends.

  /**
   * Makes a context ready for a transaction that its user begins and ends: starts its time limit,
   * and waits until it may run irrevocably.
   *
   * @return whether it has entered the gate
   */
  boolean prepare(TxContext context, TxOptions how) {
    context.explicit(true);
    Duration timeLimit = how.timeLimit();
    if (timeLimit != null) {
      context.limit(limits.begin(TimeLimits.nanos(timeLimit)));
    }
    if (!how.isIrrevocable()) {
      return false;
    }
    boolean entered = gate.enter(context.deadline());
    if (entered) {
      context.counters.increment(Counters.IRREVOCABLE);
    }
    return entered;
  }

  /** Gives a context back whose transaction was not begun. */
  void giveUnused(TxContext context, boolean entered) {
    try {
      context.explicit(false);
      endLimit(context);
      context.limit(null);
      contexts.give(context);
    } finally {
      if (entered) {
        gate.leave();
      }
    }
  }

  /** Commits a transaction that its user has begun, and returns its LSN. It ends in any case. */
  long commit(TxContext context, Durability durability, boolean entered) {
    try {
      runner.commit(context);
    } catch (Throwable t) {
      end(context, entered);
      leaveAfter(t, context, durability);
      throw t;
    }
    end(context, entered);
    return leave(context, durability, null);
  }

  /**
   * Ends the attempt of a transaction that its user aborts. If it throws, nothing is given back and
   * it may be called again.
   */
  void beginAbort(TxContext context) {
    runner.abort(context);
  }

  /** Gives back all that a transaction held whose attempt was ended by {@link #beginAbort}. */
  void abort(TxContext context, boolean entered) {
    Hooks hooks = context.takeHooks();
    try {
      end(context, entered);
    } finally {
      context.limit(null);
      context.forgetAfterCommit();
      giveBack(context);
    }
    if (hooks != null) {
      hooks.aborted();
    }
  }

  /** Ends the time limit and the irrevocable section of a transaction that its user has begun. */
  private void end(TxContext context, boolean entered) {
    context.explicit(false);
    try {
      endLimit(context);
    } finally {
      if (entered) {
        gate.leave();
      }
    }
  }

  private void endLimit(TxContext context) {
    TimeLimits.Limit limit = context.limit();
    if (limit != null) {
      limits.end(limit);
    }
  }

  // ---- Statistics and the end.

  /** Returns the sum of all counters. */
  long[] counters() {
    return contexts.counters();
  }

  boolean isIrrevocableRunning() {
    return gate.isClosed();
  }

  /** Takes idle contexts out of service; returns whether no transaction runs any more. */
  boolean drain() {
    return contexts.drain();
  }

  /** Tells the log of a failure that was noted only. */
  void reportFailure() {
    watch.run();
  }

  void close() {
    limits.close();
  }
}
