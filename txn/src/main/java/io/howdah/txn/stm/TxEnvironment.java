package io.howdah.txn.stm;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.SharedMemory;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a store that all its transactions share.
 *
 * @param region the data
 * @param orecs its ownership records
 * @param heap hands out blocks of the region
 * @param lanes where commits take their versions and leave their records
 * @param dirtyPages takes the pages that commits change, for the next checkpoint; null without one
 * @param replay replays the words that the opening has left in the log, or null if it has left none
 * @param execution starts threads and tells the time
 * @param lifecycle says whether transactions may continue
 * @param maxRecordBytes length of the longest redo record; larger transactions go in parts
 * @param maxTransactionBytes maximum number of bytes that one transaction writes; 0 in a store that
 *     is open for reading only
 */
public record TxEnvironment(
    Region region,
    OrecTable orecs,
    Heap heap,
    CommitLanes lanes,
    @Nullable DirtyPages dirtyPages,
    @Nullable DeferredReplay replay,
    Execution execution,
    Lifecycle lifecycle,
    int maxRecordBytes,
    long maxTransactionBytes) {

  /** Returns whether nothing can be written. */
  public boolean isReadOnly() {
    return maxTransactionBytes == 0;
  }

  /** Returns the part that the words of all transactions share. */
  SharedMemory memory() {
    return new SharedMemory(
        region, orecs, heap, lanes::clock, execution, replay, maxTransactionBytes);
  }
}
