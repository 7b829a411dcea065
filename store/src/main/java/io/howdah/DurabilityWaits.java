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
import org.jspecify.annotations.Nullable;

/**
 * Decides when a commit may be acknowledged in a mode (docs/protocol.md, section 3), and waits for
 * it: at the end of transactions and scopes, for receipts, for LSNs, and by stages. Thread-safe.
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

  /** The clock as the opening left it. */
  private final long firstClock;

  private final ReliableExecutor completions;
  private final @Nullable StableStages stages;
  private final NotYetDurableException withoutMemory;

  /**
   * The waits that close() waits for. Waits at the end of a commit are not counted, since all
   * commits would contend for the counter.
   */
  private final LongAdder waitsBeforeClose = new LongAdder();

  /**
   * Creates the waits of a store.
   *
   * @param opened with the clock as recovery left it
   */
  DurabilityWaits(OpenedStore opened, StoreOptions options) {
    this.lanes = opened.lanes();
    this.log = opened.log();
    this.lifecycle = opened.lifecycle();
    this.execution = options.execution();
    this.timeoutNanos = TimeLimits.nanos(options.durabilityTimeout());
    this.firstClock = lanes.clock();
    this.recoveredLsn = opened.recoveredLsn();
    this.completions = new ReliableExecutor(options.completionExecutor());
    this.stages = log == null ? null : new StableStages(log, execution, completions, lifecycle);
    this.withoutMemory = NotYetDurableException.withoutMemory(this::newest);
  }

  // ---- What is durable.

  /** Returns whether a transaction's end waits for anything in a mode. */
  boolean isAwaited(Durability durability) {
    return durability != Durability.ASYNC && log != null;
  }

  /** Returns the newest LSN that survives a power cut, with all before it. */
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
      throw gone(e);
    }
  }

  /** Returns what a commit promises in a mode. */
  Milestone milestone(Durability mode, CommitPoint point) {
    return new Milestone(this, mode, List.of(point), Subject.LSN, point);
  }

  /** Returns the milestone that a commit and all before it survive a power cut. */
  Milestone stable(long lsn) {
    return milestone(Durability.SYNC, CommitPoint.upTo(lsn));
  }

  /** Returns what all commits of a set promise in a mode. */
  Milestone milestone(Durability mode, CommitSet commits) {
    return new Milestone(
        this, mode, commits.points(mode), Subject.SCOPE, CommitPoint.upTo(commits.newestLsn()));
  }

  /** Returns whether a commit survives by now what the mode says. */
  boolean isReached(Durability mode, CommitPoint point) {
    try {
      requireTaken(point.lsn());
      return isTakenReached(mode, point);
    } catch (IllegalStateException e) {
      throw gone(e);
    }
  }

  private boolean isTakenReached(Durability mode, CommitPoint point) {
    RedoLog log = this.log;
    return log == null || mode == Durability.ASYNC || log.isReached(point, survival(mode));
  }

  /** Returns what the log must force for a mode other than {@link Durability#ASYNC}. */
  private static Survival survival(Durability mode) {
    return mode == Durability.PARTITION ? Survival.RECORD : Survival.PREFIX;
  }

  // ---- Waits.

  /**
   * Waits for what an outcome rests on before it is handed out. The caller's attempt has been given
   * back.
   *
   * @param point null if there was no memory for it
   * @param limit of the transaction; its rest bounds the wait
   * @param hooks run once the outcome is stable, if that takes too long
   * @param result of the body, for the receipt of a wait that takes too long
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
    long timeout = limit == null ? timeoutNanos : patience(limit);
    try {
      if (!awaitTaken(durability, point, timeout)) {
        if (hooks != null) {
          runHooksOnceStable(hooks, point.lsn());
        }
        throw late(durability, point, limit == null ? timeout : limit.nanos(), result, log);
      }
    } catch (IllegalStateException e) {
      // close() does not count commits that wait: all commits would contend for the counter. It
      // forces what they wait for before it releases the memory.
      if (!log.isComplete()) {
        throw gone(e);
      }
    }
  }

  private NotYetDurableException late(
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
      return withoutMemory.of(receipt); // the caller must not run it again
    }
  }

  /** Returns how long a commit with a time limit may wait for durability. */
  private long patience(TimeLimits.Limit limit) {
    try {
      return Math.clamp(limit.leftNanos(), 0, timeoutNanos);
    } catch (Error e) {
      return timeoutNanos; // the commit has happened, which the caller has to learn
    }
  }

  /** Waits for a milestone for as long as the options allow. */
  void await(Milestone milestone) {
    if (!await(milestone, timeoutNanos)) {
      throw notYetDurable(milestone);
    }
  }

  /** Waits for a milestone for a limited time; returns whether it is reached. */
  boolean await(Milestone milestone, Duration timeout) {
    return await(milestone, TimeLimits.nanos(timeout));
  }

  private boolean await(Milestone milestone, long timeoutNanos) {
    waitsBeforeClose.increment(); // close() lets waits that began in time see the last force
    try {
      List<CommitPoint> points = milestone.points();
      long started = points.size() == 1 ? 0 : execution.nanoTime();
      for (int i = 0; i < points.size(); i++) {
        CommitPoint point = points.get(i);
        requireTaken(point.lsn());
        long left =
            i == 0 || timeoutNanos == Long.MAX_VALUE
                ? timeoutNanos
                : timeoutNanos - (execution.nanoTime() - started);
        if (!awaitTaken(milestone.mode(), point, left)) {
          return false;
        }
      }
      return true;
    } catch (IllegalStateException e) {
      throw gone(e);
    } finally {
      waitsBeforeClose.decrement();
    }
  }

  /**
   * Waits for one commit, and makes the log force what is missing at once.
   *
   * @param timeoutNanos {@link Long#MAX_VALUE} for no limit, 0 or less to check once; from five
   *     seconds on, noticed up to half a second late
   * @return whether it is reached
   */
  private boolean awaitTaken(Durability mode, CommitPoint point, long timeoutNanos) {
    RedoLog log = this.log;
    if (log == null || mode == Durability.ASYNC) {
      return true;
    }
    try {
      return await(log, survival(mode), point, timeoutNanos);
    } catch (Error e) {
      // The commit has happened, so an error must not look like its failure: the wait begins anew.
      return await(log, survival(mode), point, timeoutNanos);
    }
  }

  private static boolean await(
      RedoLog log, Survival survival, CommitPoint point, long timeoutNanos) {
    boolean done;
    do {
      done = log.await(point, survival, timeoutNanos);
      // A log that has just ended releases its waiters before it says why.
    } while (!done && (timeoutNanos == Long.MAX_VALUE || log.isEnding()));
    return done;
  }

  // ---- Stages.

  /** Returns a stage that completes when {@link #isReached} is true. */
  CompletionStage<@Nullable Void> whenReached(Durability mode, CommitPoint point) {
    waitsBeforeClose.increment(); // close() lets waits that began in time see the last force
    try {
      requireTaken(point.lsn());
      return whenTakenIsReached(mode, point);
    } catch (IllegalStateException e) {
      throw gone(e);
    } finally {
      waitsBeforeClose.decrement();
    }
  }

  private CompletionStage<@Nullable Void> whenTakenIsReached(Durability mode, CommitPoint point) {
    StableStages stages = this.stages;
    if (stages != null && !isTakenReached(mode, point)) {
      CompletionStage<@Nullable Void> stage = stages.when(point, survival(mode), timeoutNanos);
      if (stage != null) {
        return stage;
      }
      await(milestone(mode, point));
    }
    return CompletableFuture.completedStage(null);
  }

  /** Lets {@code close()} wait, as long as it waits for transactions, until {@link #letClose}. */
  void delayClose() {
    waitsBeforeClose.increment();
  }

  void letClose() {
    waitsBeforeClose.decrement();
  }

  /**
   * Returns the stage for which hooks of a commit wait; null if none do, or if they cannot run.
   * Throws nothing: the commit has happened, so the caller must not be told that anything failed.
   */
  @Nullable CompletionStage<@Nullable Void> whenStable(Hooks hooks, long lsn) {
    try {
      return hooks.awaitsStability()
          ? whenTakenIsReached(Durability.SYNC, CommitPoint.upTo(lsn))
          : null;
    } catch (Throwable t) {
      notRun(t);
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
      notRun(t);
    }
  }

  /** The store was closed or has stopped since a commit, or there is no memory. */
  private static void notRun(Throwable thrown) {
    Hooks.log(
        thrown instanceof NotYetDurableException
            ? System.Logger.Level.WARNING
            : System.Logger.Level.DEBUG,
        "hooks of a commit do not run",
        thrown);
  }

  /**
   * The caller is told that the outcome is not acknowledged yet; what waits for it runs when it is,
   * on the executor.
   */
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

  /** Returns a receipt of all commits until now. */
  private Receipt<?> newest() {
    return receipt(null, CommitPoint.upTo(lanes.clock()));
  }

  /** Returns what {@link Store#callWithReceipt} would have returned. */
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

  private void requireTaken(long lsn) {
    lifecycle.failIfStopped();
    if (lsn < 0 || lsn > lanes.clock()) {
      throw new IllegalArgumentException(
          "this store has given out LSNs from 1 to " + lanes.clock() + ", not " + lsn);
    }
    if (lsn > recoveredLsn && lsn < firstClock) {
      throw new IllegalArgumentException(
          "LSN "
              + lsn
              + " was given out before this opening, and after a crash that took LSNs from "
              + (recoveredLsn + 1)
              + " on; an LSN tells nothing once the store was opened again");
    }
  }

  /**
   * Says why memory is gone, which a close has taken that did not wait for this call: the same as a
   * call a little later would say.
   */
  RuntimeException gone(IllegalStateException thrown) {
    if (!lifecycle.isStopped()) {
      return thrown;
    }
    Throwable failure = log == null ? lifecycle.failure() : log.failure();
    return StopReason.of(failure, "it has no result", thrown);
  }

  // ---- The end.

  /** Returns whether no wait is under way that {@code close} waits for. */
  boolean isIdle() {
    return waitsBeforeClose.sum() == 0;
  }

  /** Completes what stages are left; the log has ended. */
  void close() {
    if (stages != null) {
      stages.close();
    }
  }
}
