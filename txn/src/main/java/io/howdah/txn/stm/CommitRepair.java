package io.howdah.txn.stm;

import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.txn.words.Counters;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends commits that an error has broken off: undoes them where that is safe, and stops the store
 * where it is not (docs/protocol.md, R6 and R6a). Thread-safe.
 */
final class CommitRepair {

  private final Region region;
  private final CommitLanes lanes;
  private final Lifecycle lifecycle;
  private final Consumer<Throwable> fatal;

  /**
   * Creates the repair of a store.
   *
   * @param fatal stops the store
   */
  CommitRepair(TxEnvironment engine, Consumer<Throwable> fatal) {
    this.region = engine.region();
    this.lanes = engine.lanes();
    this.lifecycle = engine.lifecycle();
    this.fatal = fatal;
  }

  /**
   * Ends a commit that an error has broken off (R6). Before it began to take the LSN, all can be
   * undone. With the LSN taken and nothing published, a VOID record fills its place. In the other
   * stages the commit can neither go on nor be undone: the store stops with the orecs locked and
   * the lane announced, so no reader sees half a commit, and recovery decides.
   *
   * <p>Called from a frame above the commit's, after the commit's frames have returned. At the end
   * of the stack the repair then has the space that they had.
   *
   * @throws StoreFailedException if the store had to stop
   */
  void repair(Attempt attempt, Throwable thrown) {
    CommitProgress progress = attempt.progress;
    Lane lane = lanes.leasedBy(attempt.id);
    try {
      if (lane == null || undo(attempt, lane)) {
        progress.end();
        return;
      }
    } catch (Throwable again) {
      if (!again.equals(thrown)) {
        thrown.addSuppressed(again);
      }
    }
    throw stop(progress, lane, thrown);
  }

  /** Returns whether the commit is undone, and the lane returned. */
  private boolean undo(Attempt attempt, Lane lane) {
    int stage = attempt.progress.stage;
    if (stage == CommitProgress.TAKING || stage >= CommitProgress.PUBLISHED) {
      return false;
    }
    if (stage == CommitProgress.TAKEN) {
      if (lane.isPublishedBehind(attempt.progress.position)) {
        return false;
      }
      lane.publishVoid(attempt.progress.lsn);
      attempt.progress.stage = CommitProgress.VOIDED;
      attempt.counters.increment(Counters.VOIDS);
    }
    attempt.locks.restoreAfterError(lane.index());
    lane.finish();
    return true;
  }

  /**
   * Stops the store if a fault of memory came after the commit point. The JVM delivers faults late,
   * so one of the commit's own stores may have caused it. Then memory has an old word under the new
   * version, or the ring holds a damaged record. Throws nothing.
   */
  void stopAfterFault(Throwable thrown) {
    if (Region.isFault(thrown)) {
      Throwable told = thrown;
      try {
        told = region.explained(lanes.explained(thrown));
      } catch (Throwable again) {
        // The fault itself is reported.
      }
      try {
        fatal.accept(told);
      } catch (Throwable again) {
        lifecycle.failure = told; // the watch tells the log
      }
    }
  }

  private StoreFailedException stop(
      CommitProgress progress, @Nullable Lane lane, Throwable broken) {
    // The ring or the region may know the cause of a fault.
    Throwable thrown = region.explained(lanes.explained(broken));
    String where = progress.describe(lane);
    try {
      fatal.accept(thrown);
    } catch (IllegalStateException e) {
      // A close that did not wait for this commit has released the log's memory. The store has
      // stopped then, too.
      thrown.addSuppressed(e);
    }
    progress.stage = CommitProgress.STOPPED;
    return new StoreFailedException(
        "a commit broke off in its critical part ("
            + where
            + ") and the store stopped; close it and open it again to recover: "
            + thrown,
        thrown);
  }
}
