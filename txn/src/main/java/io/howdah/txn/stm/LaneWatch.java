package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.core.StoreFailedException;
import io.howdah.log.commit.CommitLanes;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A watchdog: no thread waits for ever for a commit that will never end. A thread that waits for a
 * lane or for the gate runs the watch about twice a second. The flusher runs it for threads that
 * wait for durability. The watch has no cost while no thread waits.
 *
 * <p>It stops the store if a lane stays leased although the attempt that leased it is in no commit.
 * Such a lane is an error in the engine, since every exit of a commit returns the lane or stops the
 * store. The watch reports a stop of the store to the log if the failing thread had no stack left
 * to do so. It opens the gate if the thread of an irrevocable transaction has terminated without
 * ending the transaction. Thread-safe.
 */
public final class LaneWatch implements Runnable {

  /** Minimum time for which a lane must appear abandoned, in nanoseconds. */
  private static final long MIN_ABANDONED_NANOS = 1_000_000_000;

  private static final long FREE = -1;

  private final CommitLanes lanes;
  private final AttemptPool attempts;
  private final IrrevocableGate gate;
  private final Lifecycle lifecycle;
  private final Execution execution;
  private final Consumer<Throwable> fatal;

  /** Whether a thread runs the watch. Guards the fields below. */
  private final AtomicBoolean running = new AtomicBoolean();

  /** For each lane that appears abandoned: the id of the attempt that has leased it. */
  private final long[] holders;

  /** For each such lane: the number of commits that the attempt had begun. */
  private final long[] begun;

  /** For each such lane: the time at which it first appeared abandoned. */
  private final long[] since;

  private boolean hasReported;

  public LaneWatch(
      CommitLanes lanes,
      AttemptPool attempts,
      IrrevocableGate gate,
      Lifecycle lifecycle,
      Execution execution,
      Consumer<Throwable> fatal) {
    this.lanes = lanes;
    this.attempts = attempts;
    this.gate = gate;
    this.lifecycle = lifecycle;
    this.execution = execution;
    this.fatal = fatal;
    this.holders = new long[lanes.count()];
    this.begun = new long[lanes.count()];
    this.since = new long[lanes.count()];
    Arrays.fill(holders, FREE);
  }

  /**
   * Checks once for abandoned lanes, an abandoned gate, and a failure that was not reported to the
   * log.
   */
  @Override
  public void run() {
    if (!running.compareAndSet(false, true)) {
      return;
    }
    try {
      Throwable failure = lifecycle.failure();
      if (failure != null) {
        report(failure);
        return;
      }
      gate.openIfAbandoned();
      for (int lane = 0; lane < holders.length; lane++) {
        CommitProgress holder = abandonedBy(lane);
        if (holder == null) {
          holders[lane] = FREE;
        } else if (holders[lane] != holder.attemptId || begun[lane] != holder.begun) {
          holders[lane] = holder.attemptId;
          begun[lane] = holder.begun;
          since[lane] = execution.nanoTime();
        } else if (execution.nanoTime() - since[lane] >= MIN_ABANDONED_NANOS) {
          report(
              new StoreFailedException(
                  "lane "
                      + lane
                      + " is leased by attempt "
                      + holder.attemptId
                      + ", which has left its commit (stage: "
                      + CommitProgress.name(holder.stage)
                      + "), so other commits would wait for the lane for ever; close the store and"
                      + " open it again to recover every acknowledged commit"));
        }
      }
    } finally {
      running.set(false);
    }
  }

  /** Returns the progress of an attempt that has leased a lane and is in no commit, or null. */
  @Nullable CommitProgress abandonedBy(int lane) {
    long attemptId = lanes.ownerOf(lane);
    CommitProgress holder = attemptId < 0 ? null : attempts.progress(attemptId);
    if (holder == null) {
      return null;
    }
    // A commit returns its lane before it sets its stage to NONE (CommitProgress.end, whose release
    // fence pairs with the acquire fence here). So a lane that is leased after the stage was read
    // is abandoned, unless the attempt has begun another commit in between.
    long begun = holder.begun;
    VarHandle.acquireFence();
    boolean isOutsideCommit = holder.stage == CommitProgress.NONE;
    VarHandle.acquireFence();
    boolean isLeased = lanes.ownerOf(lane) == attemptId;
    VarHandle.acquireFence();
    return isOutsideCommit && isLeased && holder.begun == begun ? holder : null;
  }

  private void report(Throwable failure) {
    if (!hasReported) {
      fatal.accept(failure);
      hasReported = true; // after the call, which fails if the stack is exhausted
    }
  }
}
