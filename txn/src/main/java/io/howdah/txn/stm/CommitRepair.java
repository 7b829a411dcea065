package io.howdah.txn.stm;

import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.txn.words.Counters;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends commits that an error has interrupted. It undoes a commit if that is safe, and otherwise
 * stops the store (docs/protocol.md, R6 and R6a). Thread-safe.
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
   * Ends a commit that an error has interrupted (R6). Before the commit starts to take its LSN, the
   * repair undoes it. If the LSN is taken and nothing is published, the repair publishes a VOID
   * record for the LSN. In all other stages the commit can be neither completed nor undone. Then
   * the store stops with the orecs locked and the lane announced, so no reader sees a partial
   * commit, and recovery decides whether the commit happened.
   *
   * <p>A normal return means that the attempt has no lane and the stage is {@link
   * CommitProgress#NONE}. The attempt had no lane before if the error came before the lease or
   * after the lane was returned; {@link CommitProgress#isReleased} distinguishes the two.
   *
   * <p>The caller is a caller of the commit, whose frames have returned. After a stack overflow the
   * repair can use the stack space of those frames.
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

  /** Undoes the commit and returns its lane, if the stage permits; returns whether it did. */
  private boolean undo(Attempt attempt, Lane lane) {
    int stage = attempt.progress.stage;
    if (stage == CommitProgress.TAKING_LSN || stage >= CommitProgress.PUBLISHED) {
      return false;
    }
    if (stage == CommitProgress.LSN_TAKEN) {
      if (lane.hasPublishedSince(attempt.progress.position)) {
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
   * Stops the store if an error that was thrown after the lane was returned is a memory fault;
   * otherwise does nothing. The JVM throws faults late, so one of the commit's own stores may be
   * the cause. In that case a word in memory has its old value with the new version, or the record
   * in the ring is damaged. Throws nothing.
   */
  void stopIfFault(Throwable thrown) {
    if (Region.isFault(thrown)) {
      Throwable explained = thrown;
      try {
        explained = region.explained(lanes.explained(thrown));
      } catch (Throwable again) {
        // Without an explanation, the fault itself is reported.
      }
      try {
        fatal.accept(explained);
      } catch (Throwable again) {
        lifecycle.failure = explained; // LaneWatch reports it to the log
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
      // A close that did not wait for this commit has released the log's memory. In that case the
      // store has stopped as well.
      thrown.addSuppressed(e);
    }
    progress.stage = CommitProgress.STOPPED;
    return new StoreFailedException(
        "an error interrupted a commit in its critical part ("
            + where
            + ") and the store stopped; close it and open it again to recover: "
            + thrown,
        thrown);
  }
}
