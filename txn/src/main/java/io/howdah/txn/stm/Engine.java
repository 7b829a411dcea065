package io.howdah.txn.stm;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.Durability;
import io.howdah.txn.PartitionCommits;
import io.howdah.txn.alloc.Heap;
import org.jspecify.annotations.Nullable;

/**
 * What all transactions of a store work on.
 *
 * @param region the data
 * @param orecs its ownership records
 * @param heap hands out blocks of the region
 * @param lanes where commits take their versions and leave their records
 * @param dirtyPages what the next checkpoint has to know, or null if there is none
 * @param replay of words that the opening has left for later, or null if there are none for sure
 * @param execution threads and time
 * @param lifecycle whether transactions may go on
 * @param partitionCommits what commits in {@link Durability#PARTITION} promise
 * @param maxRecordBytes length of the longest redo record; larger transactions go in parts
 * @param maxTransactionBytes most bytes of after-images in one transaction; 0 in a store that is
 *     open for reading only
 */
public record Engine(
    Region region,
    OrecTable orecs,
    Heap heap,
    CommitLanes lanes,
    @Nullable DirtyPages dirtyPages,
    @Nullable DeferredReplay replay,
    Execution execution,
    Lifecycle lifecycle,
    PartitionCommits partitionCommits,
    int maxRecordBytes,
    long maxTransactionBytes) {

  /** Returns whether nothing can be written. */
  public boolean isReadOnly() {
    return maxTransactionBytes == 0;
  }
}
