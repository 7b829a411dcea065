package io.howdah.kotlin

import io.howdah.collections.changes.Change
import io.howdah.collections.changes.Changes
import io.howdah.collections.changes.Subscription
import io.howdah.txn.Durability
import java.util.concurrent.CompletionException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.trySendBlocking
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.transform
import kotlinx.coroutines.withContext

private const val LARGEST_BATCH = 1024

/**
 * Returns the changes behind a position, those to come included, one by one; see [batches].
 *
 * @param position 0, or that of a change
 * @param survived what a change has survived when it is emitted
 */
public fun <K : Any, V : Any> Changes<K, V>.asFlow(
    position: Long,
    survived: Durability = Durability.SYNC
): Flow<Change<K, V>> =
    batches(position, survived).transform { batch -> batch.forEach { emit(it) } }

/**
 * Returns the changes behind a position, those to come included, in batches: of what the journal has when the collector
 * asks for more. The flow is cold: each collection has a subscription of its own, with one thread, which ends with it.
 *
 * The next batch is handed over when the collector has returned from the one before. So a collector that is slow, or
 * suspends for long, holds up its own flow alone, and finds a larger batch next. If it is slower than the journal is
 * long, the flow ends with [io.howdah.collections.changes.ChangesLostException], unless the journal holds writers.
 *
 * The flow never completes normally. It ends with the exception of the collector, with that of a subscription that
 * ends by itself (`ChangesLostException`, `StoreFailedException`, `CollectionMismatchException`), and with
 * `StoreClosedException` if the store is closed.
 *
 * A program that stores the position of the last change of a batch in the transaction that has the batch's effects,
 * and begins behind that position again, has each effect exactly once.
 *
 * @param position 0, or that of a change
 * @param survived what the changes have survived when they are emitted
 * @param max the maximum number of changes in a batch, at least 1
 */
public fun <K : Any, V : Any> Changes<K, V>.batches(
    position: Long,
    survived: Durability = Durability.SYNC,
    max: Int = LARGEST_BATCH
): Flow<List<Change<K, V>>> =
    flow {
        val handed = Channel<List<Change<K, V>>>(Channel.RENDEZVOUS)
        // The subscription reads the journal, and its end waits for its thread: both outside of the dispatcher.
        var subscription: Subscription? = null
        try {
            withContext(virtualThreads + NonCancellable) {
                val begun = subscribeBatches(position, survived, max) { batch ->
                    handed.trySendBlocking(batch) // on the subscription's own thread, which may wait
                }
                subscription = begun
                begun.whenEnded().whenComplete { _, reason ->
                    // The stage wraps the reason, as stages do.
                    handed.close((reason as? CompletionException)?.cause ?: reason)
                }
            }
            emitAll(handed)
        } finally {
            handed.cancel(null) // lets go of the listener, or the end of the subscription would wait for it
            withContext(virtualThreads + NonCancellable) { subscription?.close() }
        }
    }
