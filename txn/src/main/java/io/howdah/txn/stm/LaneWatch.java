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
 * Sees to it that nobody waits for ever for a commit that will never end. Threads that wait for a
 * lane or for the gate look about once a second, and so does the flusher, for those that wait for
 * durability. It costs nothing while nobody waits.
 *
 * <p>It stops the store if a lane stays leased although its holder is in no commit: an error in the
 * engine, since each way out of a commit returns the lane or stops the store. It tells the log if
 * the store has stopped, which a thread without any stack left cannot do itself. And it opens the
 * gate if the thread that ran an irrevocable transaction has ended without ending that.
 * Thread-safe.
 */
public final class LaneWatch {

  /** Two looks as far apart must see the same before it counts. */
  private static final long MIN_NANOS = 1_000_000_000;

  private static final long FREE = -1;

  private final CommitLanes lanes;
  private final ContextPool contexts;
  private final IrrevocableGate gate;
  private final Lifecycle lifecycle;
  private final Execution execution;
  private final Consumer<Throwable> fatal;

  /** Lets one thread at a time look; it guards what follows. */
  private final AtomicBoolean looking = new AtomicBoolean();

  /** Of each lane that looked abandoned: its holder, how many commits that had begun, and when. */
  private final long[] holders;

  private final long[] begun;
  private final long[] since;
  private boolean hasTold;

  public LaneWatch(
      CommitLanes lanes,
      ContextPool contexts,
      IrrevocableGate gate,
      Lifecycle lifecycle,
      Execution execution,
      Consumer<Throwable> fatal) {
    this.lanes = lanes;
    this.contexts = contexts;
    this.gate = gate;
    this.lifecycle = lifecycle;
    this.execution = execution;
    this.fatal = fatal;
    this.holders = new long[lanes.count()];
    this.begun = new long[lanes.count()];
    this.since = new long[lanes.count()];
    Arrays.fill(holders, FREE);
  }

  public void look() {
    if (!looking.compareAndSet(false, true)) {
      return;
    }
    try {
      Throwable failure = lifecycle.failure();
      if (failure != null) {
        tell(failure);
        return;
      }
      gate.openIfAbandoned();
      for (int lane = 0; lane < holders.length; lane++) {
        CommitProgress holder = abandonedBy(lane);
        if (holder == null) {
          holders[lane] = FREE;
        } else if (holders[lane] != holder.home || begun[lane] != holder.begun) {
          holders[lane] = holder.home;
          begun[lane] = holder.begun;
          since[lane] = execution.nanoTime();
        } else if (execution.nanoTime() - since[lane] >= MIN_NANOS) {
          tell(
              new StoreFailedException(
                  "lane "
                      + lane
                      + " is leased by context "
                      + holder.home
                      + ", which has left its commit (stage: "
                      + CommitProgress.name(holder.stage)
                      + "), so commits would wait for it for ever; close the store and open it again"
                      + " to recover every acknowledged commit"));
        }
      }
    } finally {
      looking.set(false);
    }
  }

  /** Returns the context that has leased a lane and is in no commit, or null. */
  @Nullable CommitProgress abandonedBy(int lane) {
    long home = lanes.holderOf(lane);
    CommitProgress holder = home < 0 ? null : contexts.progress(home);
    if (holder == null) {
      return null;
    }
    // A commit returns its lane before its stage says so: a lane that is leased after the stage was
    // read is abandoned, unless another commit has begun in between.
    long begun = holder.begun;
    VarHandle.acquireFence();
    boolean hasLeft = holder.stage == CommitProgress.NONE;
    VarHandle.acquireFence();
    boolean isLeased = lanes.holderOf(lane) == home;
    VarHandle.acquireFence();
    return hasLeft && isLeased && holder.begun == begun ? holder : null;
  }

  private void tell(Throwable failure) {
    if (!hasTold) {
      fatal.accept(failure);
      hasTold = true; // not before: at the end of its stack a thread may not get there
    }
  }
}
