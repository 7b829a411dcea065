package io.howdah;

import io.howdah.NotYetDurableException.Subject;
import io.howdah.core.Execution;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitPoint;
import io.howdah.log.commit.Survival;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.Durability;
import io.howdah.txn.stm.Hooks;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.StopReason;
import io.howdah.txn.stm.TimeLimits;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a commit may be acknowledged in a mode (docs/protocol.md, section 3), and waits for
 * that. {@link Transactor} calls it at the end of a transaction; scopes, receipts and {@link
 * StoreDurability} call it through a {@link Milestone}. The waits themselves are those of {@link
 * RedoLog}. Thread-safe.
 *
 * <p>A method for an LSN that may come from the program checks the LSN first. Its counterpart with
 * {@code Unchecked} in its name is for an LSN that is known to be valid.
 */
final class DurabilityWaits {

  private final CommitLanes lanes;

  /** Null in memory and in a store open for reading only, where everything counts as durable. */
  private final @Nullable RedoLog log;

  private final Lifecycle lifecycle;
  private final Execution execution;
  private final long timeoutNanos;

  /** Every commit up to this LSN survived the crash before the opening, if there was one. */
  private final long recoveredLsn;

  /** The clock at the end of the opening. */
  private final long firstClock;

  private final ReliableExecutor completions;
  private final @Nullable GuardedTimings timings;
  private final @Nullable StableStages stages;
  private final NotYetDurableException withoutMemory;

  /**
   * Number of waits that close() must let end. Waits at the end of a commit are not counted, since
   * all commits would contend for the counter.
   */
  private final LongAdder waitsBeforeClose = new LongAdder();

  /**
   * Creates the waits of a store.
   *
   * @param opened before its first commit, so that its clock is that of the recovery
   * @param timings is told of each wait; null for none
   */
  DurabilityWaits(OpenedStore opened, StoreOptions options, @Nullable GuardedTimings timings) {
    this.lanes = opened.lanes();
    this.log = opened.log();
    this.lifecycle = opened.lifecycle();
    this.execution = options.execution();
    this.timeoutNanos = TimeLimits.nanos(options.durabilityTimeout());
    this.firstClock = lanes.clock();
    this.recoveredLsn = opened.recoveredLsn();
    this.completions = new ReliableExecutor(options.completionExecutor());
    this.timings = timings;
    this.stages = log == null ? null : new StableStages(log, execution, completions, lifecycle);
    this.withoutMemory = NotYetDurableException.withoutMemory(new Newest());
  }

  // ---- What is durable.

  /** Returns whether the end of a transaction waits for durability in a mode. */
  boolean isAwaited(Durability durability) {
    return durability != Durability.ASYNC && log != null;
  }

  /**
   * Returns the newest LSN that survives a power cut, with all before it; without a log, the clock,
   * since everything counts as durable.
   */
  long stableLsn() {
    RedoLog log = this.log;
    return log == null ? lanes.clock() : log.stable();
  }

  /** Returns {@link #stableLsn}, unless the store was closed. */
  long currentStableLsn() {
    lifecycle.failIfStopped();
    try {
      return stableLsn();
    } catch (IllegalStateException e) {
      throw explainStop(e);
    }
  }

  /** Returns the milestone that a commit survives what a mode promises. */
  Milestone milestone(Durability mode, CommitPoint point) {
    return new Milestone(this, mode, List.of(point), Subject.LSN, point);
  }

  /** Returns the milestone that a commit and all before it survive a power cut. */
  Milestone stable(long lsn) {
    return milestone(Durability.SYNC, CommitPoint.upTo(lsn));
  }

  /** Returns the milestone that all commits of a set survive what a mode promises. */
  Milestone milestone(Durability mode, CommitSet commits) {
    return new Milestone(
        this, mode, commits.points(mode), Subject.SCOPE, CommitPoint.upTo(commits.newestLsn()));
  }

  /** Returns whether a commit survives by now what a mode promises. */
  boolean isReached(Durability mode, CommitPoint point) {
    try {
      requireGivenOut(point.lsn());
      return isReachedUnchecked(mode, point);
    } catch (IllegalStateException e) {
      throw explainStop(e);
    }
  }

  /** Like {@link #isReached}, for an LSN that is known to be valid. */
  private boolean isReachedUnchecked(Durability mode, CommitPoint point) {
    RedoLog log = this.log;
    return log == null || mode == Durability.ASYNC || log.isReached(point, survival(mode));
  }

  /** Returns the part of the log that must be forced in a mode other than ASYNC. */
  private static Survival survival(Durability mode) {
    return mode == Durability.PARTITION ? Survival.RECORD : Survival.PREFIX;
  }

  // ---- Waits.

  /**
   * Waits until the outcome of a transaction is durable, before the program gets it. The attempt is
   * in the pool again.
   *
   * @param point null if memory was exhausted
   * @param limit the time limit of the transaction; its remaining time bounds the wait
   * @param hooks run later, once the outcome is stable, if the wait times out
   * @param result of the body, for the receipt if the wait times out
   */
  void awaitOutcome(
      Durability durability,
      @Nullable CommitPoint point,
      TimeLimits.@Nullable Limit limit,
      @Nullable Hooks hooks,
      @Nullable Object result) {
    RedoLog log = this.log;
    if (log == null) {
      return;
    }
    if (point == null) {
      throw withoutMemory;
    }
    long timeout = limit == null ? timeoutNanos : remainingNanos(limit);
    try {
      if (!awaitUnchecked(durability, point, timeout)) {
        if (hooks != null) {
          runHooksOnceStable(hooks, point.lsn());
        }
        throw notYetDurable(
            durability,
            point,
            limit == null ? timeout : Math.min(limit.nanos(), timeoutNanos),
            result,
            log);
      }
    } catch (IllegalStateException e) {
      // A close has released the log's memory: waitsBeforeClose does not count this wait. The close
      // has forced all records first; if that succeeded, the outcome is durable.
      if (!log.isComplete()) {
        throw explainStop(e);
      }
    }
  }

  private NotYetDurableException notYetDurable(
      Durability durability, CommitPoint point, long nanos, @Nullable Object result, RedoLog log) {
    Receipt<?> receipt = null;
    try {
      receipt = receipt(result, point);
      return NotYetDurableException.of(
          receipt,
          point.hasRecord() ? Subject.TRANSACTION : Subject.LSN,
          durability,
          nanos,
          log.whyNotStable());
    } catch (VirtualMachineError e) {
      return withoutMemory.of(receipt); // not the error: the caller would run the body again
    }
  }

  /** Returns the maximum wait for durability of a transaction with a time limit. */
  private long remainingNanos(TimeLimits.Limit limit) {
    try {
      return Math.clamp(limit.leftNanos(), 0, timeoutNanos);
    } catch (Error e) {
      return timeoutNanos; // the commit has happened, and the caller must get its outcome
    }
  }

  /** Waits for a milestone for at most the store's durability timeout. */
  void await(Milestone milestone) {
    if (!awaitPoints(milestone, timeoutNanos)) {
      throw notYetDurable(milestone);
    }
  }

  /** Waits for a milestone for a limited time; returns whether it is reached. */
  boolean await(Milestone milestone, Duration timeout) {
    return awaitPoints(milestone, TimeLimits.nanos(timeout));
  }

  /** Waits for the points of a milestone, one after the other, within one limit. */
  private boolean awaitPoints(Milestone milestone, long timeoutNanos) {
    waitsBeforeClose.increment(); // so that the wait sees the last force of close()
    try {
      List<CommitPoint> points = milestone.points();
      long started = points.size() == 1 ? 0 : execution.nanoTime();
      for (int i = 0; i < points.size(); i++) {
        CommitPoint point = points.get(i);
        requireGivenOut(point.lsn());
        long left =
            i == 0 || timeoutNanos == Long.MAX_VALUE
                ? timeoutNanos
                : timeoutNanos - (execution.nanoTime() - started);
        if (!awaitUnchecked(milestone.mode(), point, left)) {
          return false;
        }
      }
      return true;
    } catch (IllegalStateException e) {
      throw explainStop(e);
    } finally {
      waitsBeforeClose.decrement();
    }
  }

  /**
   * Requests a force and waits for one commit, whose LSN is known to be valid.
   *
   * @param timeoutNanos {@link Long#MAX_VALUE} for no limit, 0 or less to check once; a timeout of
   *     at least five seconds may end up to half a second late
   * @return whether it is reached
   */
  private boolean awaitUnchecked(Durability mode, CommitPoint point, long timeoutNanos) {
    RedoLog log = this.log;
    if (log == null || mode == Durability.ASYNC) {
      return true;
    }
    GuardedTimings timings = this.timings;
    if (timings == null) {
      return awaitLogDespiteErrors(log, mode, point, timeoutNanos);
    }
    long started = timings.now();
    try {
      return awaitLogDespiteErrors(log, mode, point, timeoutNanos);
    } finally {
      timings.durabilityWait(mode, started);
    }
  }

  private static boolean awaitLogDespiteErrors(
      RedoLog log, Durability mode, CommitPoint point, long timeoutNanos) {
    try {
      return awaitLog(log, survival(mode), point, timeoutNanos);
    } catch (Error e) {
      // The commit has happened, so an error must not look like its failure: the wait is repeated.
      return awaitLog(log, survival(mode), point, timeoutNanos);
    }
  }

  /** Waits in the log, again while the log is ending. */
  private static boolean awaitLog(
      RedoLog log, Survival survival, CommitPoint point, long timeoutNanos) {
    boolean done;
    do {
      done = log.await(point, survival, timeoutNanos);
      // A close ends the waits first and stops the log a little later; from then on `log.await`
      // throws. In between it returns false, and the wait is repeated. A wait without a time limit
      // returns false for this reason only.
    } while (!done && (timeoutNanos == Long.MAX_VALUE || log.isEnding()));
    return done;
  }

  // ---- Stages.

  /** Returns a stage that completes when {@link #isReached} is true. */
  CompletionStage<@Nullable Void> whenReached(Durability mode, CommitPoint point) {
    waitsBeforeClose.increment(); // so that the wait sees the last force of close()
    try {
      requireGivenOut(point.lsn());
      return whenReachedUnchecked(mode, point);
    } catch (IllegalStateException e) {
      throw explainStop(e);
    } finally {
      waitsBeforeClose.decrement();
    }
  }

  /** Like {@link #whenReached}, for an LSN that is known to be valid. */
  private CompletionStage<@Nullable Void> whenReachedUnchecked(Durability mode, CommitPoint point) {
    StableStages stages = this.stages;
    if (stages != null && !isReachedUnchecked(mode, point)) {
      CompletionStage<@Nullable Void> stage = stages.when(point, survival(mode), timeoutNanos);
      if (stage != null) {
        return stage;
      }
      await(milestone(mode, point));
    }
    return CompletableFuture.completedStage(null);
  }

  /** Makes {@code close()} wait until {@link #letClose}, at most as long as for transactions. */
  void delayClose() {
    waitsBeforeClose.increment();
  }

  void letClose() {
    waitsBeforeClose.decrement();
  }

  /**
   * Returns the stage that runs the hooks for a stable commit; null if there are none, or if they
   * cannot run. Throws nothing, since an exception after a commit would look like its failure.
   */
  @Nullable CompletionStage<@Nullable Void> whenStable(Hooks hooks, long lsn) {
    try {
      return hooks.awaitsStability()
          ? whenReachedUnchecked(Durability.SYNC, CommitPoint.upTo(lsn))
          : null;
    } catch (Throwable t) {
      logHooksNotRun(t);
      return null;
    }
  }

  /**
   * Runs the hooks of a commit whose outcome is acknowledged.
   *
   * @param stable from {@link #whenStable}
   */
  void runHooks(Hooks hooks, @Nullable CompletionStage<@Nullable Void> stable) {
    hooks.committed();
    try {
      if (stable != null) {
        stable.thenRunAsync(hooks::stable, completions);
      }
    } catch (Throwable t) {
      logHooksNotRun(t);
    }
  }

  /** Logs that hooks do not run: the store was closed or has stopped, or memory is exhausted. */
  private static void logHooksNotRun(Throwable thrown) {
    Hooks.log(
        thrown instanceof NotYetDurableException
            ? System.Logger.Level.WARNING
            : System.Logger.Level.DEBUG,
        "hooks of a commit do not run",
        thrown);
  }

  /** Makes hooks run on the executor once a commit is stable, after a wait for it has timed out. */
  private void runHooksOnceStable(Hooks hooks, long lsn) {
    try {
      StableStages stages = Objects.requireNonNull(this.stages, "stages of a store with a log");
      CompletionStage<@Nullable Void> stage =
          stages.when(CommitPoint.upTo(lsn), Survival.PREFIX, 0);
      if (stage == null) {
        throw new IllegalStateException(
            "more than " + StableStages.MAX_PENDING + " stages wait already");
      }
      stage.thenRunAsync(
          () -> {
            hooks.committed();
            hooks.stable();
          },
          completions);
    } catch (Throwable t) {
      Hooks.log(
          System.Logger.Level.WARNING, "hooks of the commit with LSN " + lsn + " do not run", t);
    }
  }

  // ---- Receipts and exceptions.

  /** Makes a receipt of all commits until now. */
  private final class Newest implements Supplier<Receipt<?>> {
    @Override
    public Receipt<?> get() {
      return receipt(null, CommitPoint.upTo(lanes.clock()));
    }
  }

  /** Returns the receipt that {@link Store#callWithReceipt} would have returned. */
  @SuppressWarnings("NullAway") // a receipt without a result holds null
  private Receipt<@Nullable Object> receipt(@Nullable Object value, CommitPoint point) {
    Receipt<@Nullable Object> receipt = new Receipt<>(this, value);
    receipt.at(point);
    return receipt;
  }

  private NotYetDurableException notYetDurable(Milestone milestone) {
    RedoLog redo = Objects.requireNonNull(log, "without a log everything is durable");
    Receipt<?> receipt = receipt(null, milestone.newest());
    try {
      return NotYetDurableException.of(
          receipt, milestone.subject(), milestone.mode(), timeoutNanos, redo.whyNotStable());
    } catch (VirtualMachineError e) {
      return withoutMemory.of(receipt);
    }
  }

  /** Throws if no commit of this store can have an LSN, or if the store has stopped. */
  private void requireGivenOut(long lsn) {
    lifecycle.failIfStopped();
    if (lsn < 0 || lsn > lanes.clock()) {
      throw new IllegalArgumentException(
          "this store has assigned LSNs from 1 to " + lanes.clock() + ", not " + lsn);
    }
    if (lsn > recoveredLsn && lsn < firstClock) {
      throw new IllegalArgumentException(
          "LSN "
              + lsn
              + " was assigned before this opening, and a crash has discarded LSNs from "
              + (recoveredLsn + 1)
              + " on; an LSN has no meaning once the store was opened again");
    }
  }

  /**
   * Returns the exception to throw after access to released memory. If the store has stopped, it is
   * the reason of the stop, as for a later call; otherwise {@code thrown}.
   */
  RuntimeException explainStop(IllegalStateException thrown) {
    if (!lifecycle.isStopped()) {
      return thrown;
    }
    Throwable failure = log == null ? lifecycle.failure() : log.failure();
    return StopReason.of(failure, "it has no result", thrown);
  }

  // ---- The end.

  /** Returns whether {@code close} has no wait to let end. */
  boolean isIdle() {
    return waitsBeforeClose.sum() == 0;
  }

  /** Completes the remaining stages, after the end of the log. */
  void close() {
    if (stages != null) {
      stages.close();
    }
  }
}
