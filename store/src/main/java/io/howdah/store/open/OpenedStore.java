package io.howdah.store.open;

import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Region;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.store.archive.Archiving;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.words.OrecTable;
import org.jspecify.annotations.Nullable;

/**
 * What an opening has put together, of which a {@code Store} is made.
 *
 * @param region recovered, or zeroed
 * @param orecs all at version 0
 * @param lanes in the state that recovery left the log in
 * @param lifecycle what {@code lanes} looks at, if they have no log
 * @param dimensions of the store, whatever the options asked for
 * @param log the log behind the lanes, or null if there is none
 * @param dirtyPages told of every page that commits change, or null
 * @param checkpoints takes checkpoints, or null
 * @param archiving starts and stops the archive, or null
 * @param recovery what the opening found, or null if there was nothing to find
 * @param replay of what the opening has left for later, or null if that is nothing
 * @param mayBeNew whether a region without a header is new; if not it has lost its header
 * @param onClose closes log and memory; runs once, with no commit under way
 */
public record OpenedStore(
    Region region,
    OrecTable orecs,
    CommitLanes lanes,
    Lifecycle lifecycle,
    Dimensions dimensions,
    @Nullable RedoLog log,
    @Nullable DirtyPages dirtyPages,
    @Nullable CheckpointThread checkpoints,
    @Nullable Archiving archiving,
    @Nullable RecoveryReport recovery,
    @Nullable DeferredReplay replay,
    boolean mayBeNew,
    OnClose onClose) {

  /**
   * What a store keeps for its lifetime.
   *
   * @param partitions of its log
   * @param ringBytes length of each partition's ring
   * @param maxSizeBytes most that data may take
   */
  public record Dimensions(int partitions, int ringBytes, long maxSizeBytes) {}

  /** Returns what has no log, and was not recovered. */
  public static OpenedStore inMemory(
      Region region,
      OrecTable orecs,
      CommitLanes lanes,
      Lifecycle lifecycle,
      Dimensions dimensions,
      OnClose onClose) {
    return new OpenedStore(
        region,
        orecs,
        lanes,
        lifecycle,
        dimensions,
        null,
        null,
        null,
        null,
        null,
        null,
        true,
        onClose);
  }

  /** Returns the LSN up to which every commit survived the crash before, if there was one. */
  public long recoveredLsn() {
    RecoveryReport recovery = this.recovery;
    return recovery != null && recovery.outcome() instanceof RecoveryOutcome.AfterPowerCut after
        ? after.cut()
        : lanes.clock();
  }
}
