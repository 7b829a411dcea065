package io.howdah.txn.words;

import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.txn.alloc.Heap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a store and its services, shared by the {@link Words} of all its transactions.
 *
 * @param region the data
 * @param orecs its ownership records
 * @param heap allocates blocks of the region
 * @param clock returns the largest dense LSN that was taken
 * @param execution waits and generates random numbers
 * @param replay the deferred replay of the opening, or null if the opening replayed all words
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
