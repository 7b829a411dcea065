package io.howdah.txn.stm;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.SharedMemory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a store that all its transactions share.
 *
 * @param region the data
 * @param orecs its ownership records
 * @param heap allocates blocks of the region
 * @param lanes assigns LSNs to commits and appends their redo records
 * @param dirtyPages the pages that commits have changed, for the next checkpoint; null without
 *     checkpoints
 * @param replay the deferred replay of the opening, or null if the opening replayed all words
 * @param execution starts threads and provides the time
 * @param lifecycle whether transactions may continue
 * @param maxRecordBytes maximum length of a redo record; a larger transaction is written in parts
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

  /** Returns whether the store is open for reading only. */
  public boolean isReadOnly() {
    return maxTransactionBytes == 0;
  }

  /** Returns the part that the {@link Words} of all transactions share. */
  SharedMemory memory() {
    return new SharedMemory(
        region, orecs, heap, new Clock(lanes), execution, replay, maxTransactionBytes);
  }

  /** A record, since the JIT trusts its field: each transaction begins with the clock. */
  private record Clock(CommitLanes lanes) implements LongSupplier {
    @Override
    public long getAsLong() {
      return lanes.clock();
    }
  }
}
