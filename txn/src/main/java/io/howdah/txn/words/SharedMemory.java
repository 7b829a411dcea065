package io.howdah.txn.words;

import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.txn.alloc.Heap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a store, which the words of all its transactions share.
 *
 * @param region the data
 * @param orecs its ownership records
 * @param heap hands out blocks of the region
 * @param clock returns the largest dense LSN that was taken
 * @param execution waits, and makes random numbers
 * @param replay replays the words that the opening has left in the log, or null if it has left none
 * @param maxTransactionBytes maximum number of bytes that one transaction writes; 0 in a store that
 *     is open for reading only
 */
public record SharedMemory(
    Region region,
    OrecTable orecs,
    Heap heap,
    LongSupplier clock,
    Execution execution,
    @Nullable DeferredReplay replay,
    long maxTransactionBytes) {}
