package io.howdah;

import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a store's transactions: takes an attempt, has it run, gives it back, lets tables grow, hands
 * the outcome over to the wait for durability, and runs the hooks. {@link Store}, {@link
 * DurableScope} and {@link Session} are made of it. Thread-safe.
 */
final class Transactor {

  private final Lifecycle lifecycle;
  private final AttemptPool attempts;
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
    this.attempts =
        new AttemptPool(
            engine.execution(),
            (home, counters) -> new Attempt(engine, home, counters, new CollectionScratch()));
    this.watch =
        new LaneWatch(engine.lanes(), attempts, gate, lifecycle, engine.execution(), fatal);
    engine.lanes().whenWaitIsLong(watch::run);
  }

  // ---- Transactions with a body.

  /** Runs a transaction and returns its LSN. */
  <E extends Exception> long run(TxOptions how, TxBody<E> body) throws E {
    Durability durability = durability(how);
    Attempt attempt = take();
    execute(attempt, how, durability, null, body);
    return leave(attempt, durability, null);
  }

  /** Runs a transaction and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxOptions how, TxFunction<T, E> body)
      throws E {
    Durability durability = durability(how);
    Attempt attempt = take();
    T result = execute(attempt, how, durability, null, body);
    leave(attempt, durability, result);
    return result;
  }

  /** Runs a transaction and returns its receipt, with its body's result. */
  <T extends @Nullable Object, E extends Exception> Receipt<T> callWithReceipt(
      TxOptions how, TxFunction<T, E> body) throws E {
    Durability durability = durability(how);
    Attempt attempt = take();
    // Made in the body: behind the commit there might be no memory for it.
    Receipt<T> receipt =
        execute(attempt, how, durability, null, tx -> new Receipt<>(waits, body.call(tx)));
    receipt.at(attempt.point);
    leave(attempt, durability, receipt.value());
    return receipt;
  }

  /**
   * Runs a transaction that is waited for with others, and returns its LSN.
   *
   * @param commits take its outcome, whatever comes of it
   */
  <E extends Exception> long run(TxOptions how, CommitSet commits, TxBody<E> body) throws E {
    Attempt attempt = take();
    execute(attempt, how, Durability.ASYNC, commits, body);
    return leave(attempt, Durability.ASYNC, null);
  }

  /**
   * Runs a transaction that is waited for with others, and returns its body's result.
   *
   * @param commits take its outcome, whatever comes of it
   */
  <T extends @Nullable Object, E extends Exception> T call(
      TxOptions how, CommitSet commits, TxFunction<T, E> body) throws E {
    Attempt attempt = take();
    T result = execute(attempt, how, Durability.ASYNC, commits, body);
    leave(attempt, Durability.ASYNC, result);
    return result;
  }

  /**
   * Runs a body with an attempt that was taken. If something comes out of it, the attempt is given
   * back here; otherwise the caller leaves.
   *
   * @param durability what an exception waits for before it leaves
   * @param commits take the outcome, whatever it is; null if it is waited for by itself
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
      leaveAfter(t, attempt, durability);
      throw t;
    }
    if (commits != null) {
      commits.add(attempt.point);
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
    Attempt attempt = attempts.take();
    attempt.holder = caller;
    try {
      admit(attempt);
      T result = execute(attempt, how, durability, commits, body);
      leave(attempt, durability, result);
      return result;
    } finally {
      // At the end of the stack not even the calls need succeed that give the attempt back. Fields
      // can always be set.
      if (attempt.holder == caller) {
        attempt.isLost = true;
        attempts.hasLost = true;
      }
    }
  }

  /**
   * Runs a transaction of the store's own, whose outcome nobody waits for.
   *
   * @param body gets the words, to use them without checks
   */
  void runUnchecked(Consumer<Words> body) {
    Attempt attempt = attempts.take();
    try {
      runner.execute(
          attempt,
          false,
          false,
          _ -> {
            body.accept(attempt.words);
            return 0;
          });
    } finally {
      attempts.give(attempt);
    }
  }

  // ---- The frame: take, then leave, or leave after what was thrown.

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

  /** Gives an attempt back if the store takes no transaction. */
  private void admit(Attempt attempt) {
    try {
      lifecycle.requireOpen();
    } catch (RuntimeException e) {
      attempts.give(attempt);
      throw e;
    }
  }

  /**
   * Gives the attempt back and waits for what the outcome rests on; returns its LSN.
   *
   * @param result of the body, for the receipt of a wait that takes too long
   */
  private long leave(Attempt attempt, Durability durability, @Nullable Object result) {
    long lsn = attempt.lsn();
    Hooks hooks = attempt.takeHooks();
    if (hooks == null) {
      awaitOutcome(attempt, durability, null, result);
      return lsn;
    }
    @Nullable CompletionStage<@Nullable Void> stable;
    waits.delayClose(); // or it could end the log before the hooks have asked for its force
    try {
      awaitOutcome(attempt, durability, hooks, result);
      stable = waits.whenStable(hooks, lsn);
    } finally {
      waits.letClose();
    }
    waits.runHooks(hooks, stable);
    return lsn;
  }

  /** Gives the attempt back, then waits for what its outcome rests on. */
  private void awaitOutcome(
      Attempt attempt, Durability durability, @Nullable Hooks hooks, @Nullable Object result) {
    TimeLimits.Limit limit = attempt.takeLimit();
    if (waits.isAwaited(durability)) {
      CommitPoint point = point(attempt);
      giveBack(attempt);
      waits.awaitOutcome(durability, point, limit, hooks, result);
    } else {
      giveBack(attempt);
    }
  }

  /** Returns the outcome, null if there is no memory for it: nothing is thrown behind a commit. */
  private static @Nullable CommitPoint point(Attempt attempt) {
    try {
      return attempt.point.copy();
    } catch (VirtualMachineError e) {
      return null;
    }
  }

  /** Gives the attempt back after an exception, which waits for what it rests on like a result. */
  private void leaveAfter(Throwable thrown, Attempt attempt, Durability durability) {
    Hooks hooks = attempt.takeHooks();
    boolean isUndecided = attempt.isCommitUndecided();
    attempt.words.forgetAfterCommit();
    try {
      leave(attempt, durability, null);
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
   * Lets tables grow that the commit has found too full, and gives its attempt back. Throws
   * nothing: the transaction has ended.
   */
  @SuppressWarnings("EmptyCatch") // said below
  private void giveBack(Attempt attempt) {
    if (attempt.words.hasAfterCommit()) {
      attempt.words.tellCommitted();
      if (attempt.words.hasAfterCommit()) {
        growTables(attempt);
      }
    }
    try {
      attempts.give(attempt);
    } catch (Throwable t) {
      // The pool finds it again. The outcome stands, and the caller has to learn it.
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void growTables(Attempt attempt) {
    int added = attempt.words.operations.inserted;
    try {
      StackReserve.require();
      for (AfterCommit action : attempt.words.takeAfterCommit()) {
        action.run(attempt.words, added, body -> runner.attempt(attempt, body));
      }
    } catch (Throwable t) {
      // The heap is full, the stack ends here, the store was closed or has failed. The commit has
      // happened, and a table that has not grown is only slower; the next insertion that finds
      // it too full tries again.
    }
  }

  // ---- Transactions that their user begins and ends.

  /**
   * Makes an attempt ready for a transaction that its user begins and ends: starts its time limit,
   * and waits until it may run irrevocably.
   *
   * @return whether it has entered the gate
   */
  boolean prepare(Attempt attempt, TxOptions how) {
    attempt.explicit(true);
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

  /** Gives an attempt back whose transaction was not begun. */
  void giveUnused(Attempt attempt, boolean entered) {
    try {
      attempt.explicit(false);
      endLimit(attempt);
      attempt.limit(null);
      attempts.give(attempt);
    } finally {
      if (entered) {
        gate.leave();
      }
    }
  }

  /** Commits a transaction that its user has begun, and returns its LSN. It ends in any case. */
  long commit(Attempt attempt, Durability durability, boolean entered) {
    try {
      runner.commit(attempt);
    } catch (Throwable t) {
      end(attempt, entered);
      leaveAfter(t, attempt, durability);
      throw t;
    }
    end(attempt, entered);
    return leave(attempt, durability, null);
  }

  /**
   * Ends the attempt of a transaction that its user aborts. If it throws, nothing is given back and
   * it may be called again.
   */
  void beginAbort(Attempt attempt) {
    runner.abort(attempt);
  }

  /** Gives back all that a transaction held whose attempt was ended by {@link #beginAbort}. */
  void abort(Attempt attempt, boolean entered) {
    Hooks hooks = attempt.takeHooks();
    try {
      end(attempt, entered);
    } finally {
      attempt.limit(null);
      attempt.words.forgetAfterCommit();
      giveBack(attempt);
    }
    if (hooks != null) {
      hooks.aborted();
    }
  }

  /** Ends the time limit and the irrevocable section of a transaction that its user has begun. */
  private void end(Attempt attempt, boolean entered) {
    attempt.explicit(false);
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

  /** Takes idle attempts out of service; returns whether no transaction runs any more. */
  boolean drain() {
    return attempts.drain();
  }

  /** Tells the log of a failure that was noted only. */
  void reportFailure() {
    watch.run();
  }

  void close() {
    limits.close();
  }
}
