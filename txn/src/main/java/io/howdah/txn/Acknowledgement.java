package io.howdah.txn;

import io.howdah.log.RedoLog;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a commit may be acknowledged in a mode, and waits for it (docs/protocol.md, section
 * 3). Thread-safe.
 *
 * <p>A commit is known by four numbers: its LSN; the partition of its record, {@link
 * TxContext#NO_RECORD} for a transaction that wrote nothing; where that record ends; and the LSN
 * that has to be stable for it to count. Without a record, the LSN is that of the newest commit it
 * has read from.
 */
final class Acknowledgement {

  private final @Nullable RedoLog log;
  private final boolean checked;

  /**
   * Creates one.
   *
   * @param log null in memory, where everything counts as durable at once
   */
  Acknowledgement(@Nullable RedoLog log, PartitionCommits commits) {
    this.log = log;
    this.checked = commits == PartitionCommits.CHECKED;
  }

  /** Returns whether a commit survives what the mode says. Looks once. */
  boolean isDue(Durability mode, long lsn, int partition, long end, long dependency) {
    RedoLog log = this.log;
    if (log == null) {
      return true;
    }
    return switch (mode) {
      case ASYNC -> true;
      case SYNC -> log.stable() >= lsn;
      case PARTITION ->
          partition == TxContext.NO_RECORD
              ? !checked || log.stable() >= lsn
              : log.isForced(partition, end, checked ? dependency : 0);
    };
  }

  /**
   * Waits for {@link #isDue}, and makes the log force what is missing at once.
   *
   * @param timeoutNanos {@link Long#MAX_VALUE} for no limit, 0 or less to look once; from five
   *     seconds on, noticed up to half a second late
   * @return whether it came about in time
   */
  boolean await(
      Durability mode, long lsn, int partition, long end, long dependency, long timeoutNanos) {
    RedoLog log = this.log;
    if (log == null || mode == Durability.ASYNC) {
      return true;
    }
    try {
      return await(log, mode, lsn, partition, end, dependency, timeoutNanos);
    } catch (Error e) {
      // The commit has happened, so an error must not look like its failure: the wait begins anew.
      return await(log, mode, lsn, partition, end, dependency, timeoutNanos);
    }
  }

  private boolean await(
      RedoLog log,
      Durability mode,
      long lsn,
      int partition,
      long end,
      long dependency,
      long timeoutNanos) {
    boolean done;
    do {
      if (mode == Durability.SYNC || (partition == TxContext.NO_RECORD && checked)) {
        done = log.awaitStable(lsn, timeoutNanos);
      } else if (partition == TxContext.NO_RECORD) {
        done = true;
      } else {
        done = log.awaitForced(partition, end, checked ? dependency : 0, lsn, timeoutNanos);
      }
      // A log that has just ended lets go of its waiters before it says why.
    } while (!done && (timeoutNanos == Long.MAX_VALUE || log.isEnding()));
    return done;
  }
}
