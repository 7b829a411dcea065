package io.howdah;

import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
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
import io.howdah.txn.stm.TxRunner;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.StackReserve;
import io.howdah.txn.words.Words;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a store's transactions: takes an {@link Attempt} from the pool, lets {@link TxRunner} run it
 * until it commits, runs the actions after the commit, returns the attempt to the pool, waits until
 * the outcome is durable ({@link DurabilityWaits}), and runs the hooks. {@link Store}, {@link
 * DurableScope} and {@link Session} call it. Thread-safe.
 *
 * <p>There are two kinds of actions after the commit ({@link AfterCommit}). One notes when entries
 * expire that the transaction has put. The other is the growth of a hash table that an insertion
 * found too full. {@link Words#tellCommitted} runs each action's {@link AfterCommit#committed} and
 * drops those that return true: nothing is left to run. The first kind always returns true, so what
 * remains is table growth. It runs on the thread of the program, in transactions of its own, before
 * the wait for durability.
 */
sealed class Transactor permits TimedTransactor {

  private final Lifecycle lifecycle;
  private final AttemptPool attempts;
  private final IrrevocableGate gate;
  private final TimeLimits limits;
  private final TxRunner runner;
  private final LaneWatch watch;
  private final DurabilityWaits waits;
  private final Durability defaultDurability;
  private final Turns turns;

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
    this.turns = new Turns(engine.execution());
    this.gate =
        new IrrevocableGate(
            engine.lanes(), lifecycle, fatal, new ProgramLog("io.howdah.txn", engine.execution()));
    RetryWaits retryWaits = new RetryWaits(engine.execution(), lifecycle);
    Committer committer = new Committer(engine, retryWaits);
    this.limits = new TimeLimits(engine.execution());
    this.runner =
        new TxRunner(
            engine, committer, gate, retryWaits, limits, options.irrevocableAfterAborts(), fatal);
    this.attempts = new AttemptPool(engine.execution(), new Attempts(engine));
    this.watch =
        new LaneWatch(engine.lanes(), attempts, gate, lifecycle, engine.execution(), fatal);
    engine.lanes().whenWaitIsLong(watch);
  }

  private record Attempts(TxEnvironment engine) implements BiFunction<Integer, Counters, Attempt> {
    @Override
    public Attempt apply(Integer home, Counters counters) {
      return new Attempt(engine, home, counters, new CollectionScratch());
    }
  }

  // ---- Transactions with a body.

  /** Runs a transaction and returns its LSN. */
  <E extends Exception> long run(TxOptions how, TxBody<E> body) throws E {
    Durability durability = durability(how);
    Attempt attempt = take();
    execute(attempt, how, durability, null, body);
    return finish(attempt, durability, null);
  }

  /** Runs a transaction and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxOptions how, TxFunction<T, E> body)
      throws E {
    Durability durability = durability(how);
    Attempt attempt = take();
    T result = execute(attempt, how, durability, null, body);
    finish(attempt, durability, result);
    return result;
  }

  /** Runs a transaction and returns its receipt, with its body's result. */
  <T extends @Nullable Object, E extends Exception> Receipt<T> callWithReceipt(
      TxOptions how, TxFunction<T, E> body) throws E {
    Durability durability = durability(how);
    Attempt attempt = take();
    // Created in the body: after the commit, memory might be exhausted.
    Receipt<T> receipt =
        execute(attempt, how, durability, null, tx -> new Receipt<>(waits, body.call(tx)));
    receipt.at(attempt.point);
    finish(attempt, durability, receipt.value());
    return receipt;
  }

  /**
   * Runs a transaction whose durability is awaited together with that of others, and returns its
   * LSN.
   *
   * @param commits receive the outcome, also that of an exception
   */
  <E extends Exception> long run(TxOptions how, CommitSet commits, TxBody<E> body) throws E {
    Attempt attempt = take();
    execute(attempt, how, Durability.ASYNC, commits, body);
    return finish(attempt, Durability.ASYNC, null);
  }

  /**
   * Runs a transaction whose durability is awaited together with that of others, and returns its
   * body's result.
   *
   * @param commits receive the outcome, also that of an exception
   */
  <T extends @Nullable Object, E extends Exception> T call(
      TxOptions how, CommitSet commits, TxFunction<T, E> body) throws E {
    Attempt attempt = take();
    T result = execute(attempt, how, Durability.ASYNC, commits, body);
    finish(attempt, Durability.ASYNC, result);
    return result;
  }

  /**
   * Runs a body with an attempt from the pool. After an exception, this method finishes the
   * attempt; otherwise the caller calls {@link #finish}.
   *
   * @param durability what must be durable before an exception reaches the program
   * @param commits receive the outcome, also that of an exception; null if the caller awaits the
   *     durability of this transaction alone
   */
  private <T extends @Nullable Object, E extends Exception> T execute(
      Attempt attempt,
      TxOptions how,
      Durability durability,
      @Nullable CommitSet commits,
      TxFunction<T, E> body)
      throws E {
    T result;
    try {
      result = runner.execute(attempt, how, body);
    } catch (Throwable t) {
      if (commits != null) {
        commits.add(attempt.point);
      }
      finishAfter(t, attempt, durability);
      throw t;
    }
    if (commits != null) {
      commits.add(attempt.point);
    }
    return result;
  }

  /**
   * Runs a transaction that does not write, and returns its body's result. It keeps no reserve of
   * stack, since it has no commit that an overflow could interrupt.
   *
   * @param how read-only
   */
  <T extends @Nullable Object, E extends Exception> T read(TxOptions how, TxFunction<T, E> body)
      throws E {
    return read(how, durability(how), null, body);
  }

  /**
   * Runs a transaction that does not write and whose durability is awaited together with that of
   * others, and returns its body's result.
   *
   * @param how read-only
   * @param commits receive the newest LSN that it has read, also after an exception
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
    Attempt attempt = attempts.take();
    attempt.holder = caller;
    try {
      admit(attempt);
      T result = execute(attempt, how, durability, commits, body);
      finish(attempt, durability, result);
      return result;
    } finally {
      // AttemptPool.give, which returns the attempt, clears `holder`. If the stack is exhausted,
      // that call may fail or may not be reached. Setting a field cannot fail.
      if (attempt.holder == caller) {
        attempt.isLost = true;
        attempts.hasLost = true;
      }
    }
  }

  /**
   * Runs an internal transaction of the store, without a wait for durability.
   *
   * @param body receives the words, to use them without checks
   */
  void runUnchecked(Consumer<Words> body) {
    Attempt attempt = attempts.take();
    try {
      runner.execute(attempt, false, false, new Unchecked(body, attempt.words));
    } finally {
      attempts.give(attempt);
    }
  }

  private record Unchecked(Consumer<Words> body, Words words)
      implements TxFunction<Integer, RuntimeException> {
    @Override
    public Integer call(Tx tx) {
      body.accept(words);
      return 0;
    }
  }

  // ---- The begin and the end of every transaction: take, then finish or finishAfter.

  /** Returns the mode that options name, or the store's default. */
  Durability durability(TxOptions how) {
    Durability durability = how.durability();
    return durability == null ? defaultDurability : durability;
  }

  /** Takes an attempt for a transaction that may commit. */
  Attempt take() {
    StackReserve.require();
    Attempt attempt = attempts.take();
    admit(attempt);
    return attempt;
  }

  /**
   * Returns the attempt to the pool and throws if the store accepts no transactions. This check
   * follows the taking of the attempt: a thread that closes the store sets its state first and then
   * looks for attempts in use, so at least one of the two threads sees the other ({@link
   * Lifecycle}).
   */
  private void admit(Attempt attempt) {
    try {
      lifecycle.requireOpen();
    } catch (RuntimeException e) {
      attempts.give(attempt);
      throw e;
    }
  }

  /**
   * Ends a transaction after its commit: runs the actions after the commit, returns the attempt to
   * the pool, waits until the outcome is durable, and runs the hooks. Returns the LSN of the
   * outcome.
   *
   * @param result of the body, for the receipt if the wait times out
   */
  private long finish(Attempt attempt, Durability durability, @Nullable Object result) {
    long lsn = attempt.lsn();
    Hooks hooks = attempt.takeHooks();
    if (hooks == null) {
      awaitOutcome(attempt, durability, null, result);
      return lsn;
    }
    @Nullable CompletionStage<@Nullable Void> stable;
    waits.delayClose(); // otherwise close() could end the log before the hooks request a force
    try {
      awaitOutcome(attempt, durability, hooks, result);
      stable = waits.whenStable(hooks, lsn);
    } finally {
      waits.letClose();
    }
    waits.runHooks(hooks, stable);
    return lsn;
  }

  /**
   * Runs the actions after the commit, returns the attempt to the pool, and then waits until its
   * outcome is durable.
   */
  private void awaitOutcome(
      Attempt attempt, Durability durability, @Nullable Hooks hooks, @Nullable Object result) {
    TimeLimits.Limit limit = attempt.takeLimit();
    boolean mayEndTurn = attempt.isEighth();
    if (waits.isAwaited(durability)) {
      CommitPoint point = copyOfPoint(attempt);
      runAfterCommitAndReturn(attempt);
      waits.awaitOutcome(durability, point, limit, hooks, result);
    } else {
      runAfterCommitAndReturn(attempt);
    }
    if (mayEndTurn) {
      turns.endIfLong();
    }
  }

  /**
   * Returns a copy of the outcome; null if memory is exhausted, since an exception after a commit
   * would look like its failure.
   */
  private static @Nullable CommitPoint copyOfPoint(Attempt attempt) {
    try {
      return attempt.point.copy();
    } catch (VirtualMachineError e) {
      return null;
    }
  }

  /**
   * Ends a transaction after an exception. The exception may depend on what the attempt has read,
   * so it waits for durability as a result does (R7).
   */
  private void finishAfter(Throwable thrown, Attempt attempt, Durability durability) {
    Hooks hooks = attempt.takeHooks();
    boolean isUndecided = attempt.isCommitUndecided();
    attempt.words.forgetAfterCommit();
    try {
      finish(attempt, durability, null);
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
   * Runs the actions after the commit and returns the attempt to the pool. {@link
   * Words#tellCommitted} runs each action's {@link AfterCommit#committed} and drops those that
   * return true: nothing is left to run. What remains is table growth, which may run whole
   * transactions with the same attempt. Throws nothing, since the transaction has ended.
   */
  @SuppressWarnings("EmptyCatch") // the comment says why
  private void runAfterCommitAndReturn(Attempt attempt) {
    if (attempt.words.hasAfterCommit()) {
      attempt.words.tellCommitted();
      if (attempt.words.hasAfterCommit()) {
        growTables(attempt);
      }
    }
    try {
      attempts.give(attempt);
    } catch (Throwable t) {
      // The attempt is marked as lost, and the pool reclaims it. The caller gets the outcome.
    }
  }

  /**
   * Runs the actions that {@link Words#tellCommitted} has left: the growth of the tables that
   * insertions of the transaction found too full.
   */
  @SuppressWarnings("EmptyCatch") // the comment says why
  private void growTables(Attempt attempt) {
    int added = attempt.words.operations.inserted;
    try {
      StackReserve.require();
      for (AfterCommit action : attempt.words.takeAfterCommit()) {
        action.run(attempt.words, added, body -> runner.runOnce(attempt, body));
      }
    } catch (Throwable t) {
      // The heap is full, the stack is exhausted, or the store was closed or has failed. The commit
      // has happened. A table that has not grown is only slower, and the next insertion that finds
      // it too full tries again.
    }
  }

  // ---- Sessions: transactions that the program begins and ends by calls.

  /**
   * Prepares an attempt for the transaction of a session: starts its time limit and, for an
   * irrevocable transaction, waits until it is inside the gate.
   *
   * @return whether it has entered the gate, so that the end of the transaction must leave it
   */
  boolean prepare(Attempt attempt, TxOptions how) {
    attempt.ofSession(true);
    Duration timeLimit = how.timeLimit();
    if (timeLimit != null) {
      attempt.limit(limits.begin(TimeLimits.nanos(timeLimit)));
    }
    if (!how.isIrrevocable()) {
      return false;
    }
    boolean entered = gate.enter(attempt.deadline());
    if (entered) {
      attempt.counters.increment(Counters.IRREVOCABLE);
    }
    return entered;
  }

  /** Returns an attempt to the pool whose transaction has not begun. */
  void returnUnused(Attempt attempt, boolean entered) {
    try {
      attempt.ofSession(false);
      endLimit(attempt);
      attempt.limit(null);
      attempts.give(attempt);
    } finally {
      if (entered) {
        gate.leave();
      }
    }
  }

  /**
   * Commits the transaction of a session and returns its LSN. The transaction ends in all cases.
   */
  long commit(Attempt attempt, Durability durability, boolean entered) {
    try {
      runner.commit(attempt);
    } catch (Throwable t) {
      end(attempt, entered);
      finishAfter(t, attempt, durability);
      throw t;
    }
    end(attempt, entered);
    return finish(attempt, durability, null);
  }

  /**
   * Ends the attempt of a session's transaction that the program aborts; {@link #abort} follows. If
   * this call throws, the transaction keeps the gate and the attempt, and the call may be repeated.
   */
  void beginAbort(Attempt attempt) {
    runner.abort(attempt);
  }

  /** Leaves the gate and returns the attempt, after {@link #beginAbort} has ended it. */
  void abort(Attempt attempt, boolean entered) {
    Hooks hooks = attempt.takeHooks();
    try {
      end(attempt, entered);
    } finally {
      attempt.limit(null);
      attempt.words.forgetAfterCommit();
      runAfterCommitAndReturn(attempt);
    }
    if (hooks != null) {
      hooks.aborted();
    }
  }

  /** Ends the time limit of a session's transaction, and leaves the gate if it has entered it. */
  private void end(Attempt attempt, boolean entered) {
    attempt.ofSession(false);
    try {
      endLimit(attempt);
    } finally {
      if (entered) {
        gate.leave();
      }
    }
  }

  private void endLimit(Attempt attempt) {
    TimeLimits.Limit limit = attempt.limit();
    if (limit != null) {
      limits.end(limit);
    }
  }

  // ---- Statistics and the end.

  /** Returns the sum of all counters. */
  long[] counters() {
    return attempts.counters();
  }

  boolean isIrrevocableRunning() {
    return gate.isClosed();
  }

  /** Drops all idle attempts; returns whether no transaction runs. */
  boolean drain() {
    return attempts.drain();
  }

  /** Reports a failure to the log that its thread could only store in a field. */
  void reportFailure() {
    watch.run();
  }

  void close() {
    limits.close();
  }
}
