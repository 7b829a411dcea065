package io.howdah.kotlin

import io.howdah.Receipt
import io.howdah.Store
import io.howdah.txn.Durability
import io.howdah.txn.Tx
import io.howdah.txn.TxOptions
import java.util.concurrent.Executors
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/**
 * Runs each task on a virtual thread of its own, which may wait: it holds no thread of the caller's dispatcher, and no
 * thread of the system.
 */
internal val virtualThreads: CoroutineDispatcher =
    Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("howdah-kotlin-", 0).factory()).asCoroutineDispatcher()

/*
 * None of these functions is inline. The body of an inline function could suspend where its caller can, and a
 * transaction would then stay open while other coroutines run on its thread.
 */

/**
 * Runs a transaction, and returns its body's result once it has survived what [options] say, by default a power cut.
 * The calling thread runs the body, again after a conflict, and waits: in a coroutine use [awaitUpdate].
 *
 * @throws io.howdah.NotYetDurableException if the transaction has committed and is not durable in time
 */
public fun <T> Store.update(options: TxOptions = TxOptions.defaults(), body: (Tx) -> T): T =
    call<T, RuntimeException>(options) { tx -> body(tx) }

/**
 * Runs a transaction that only reads, and returns its body's result. The calling thread runs the body, and waits until
 * what it has read is durable: in a coroutine use [awaitQuery].
 */
public fun <T> Store.query(options: TxOptions = TxOptions.defaults(), body: (Tx) -> T): T =
    read<T, RuntimeException>(options) { tx -> body(tx) }

/**
 * Runs a transaction as [update] does, and suspends until it is durable. The body runs on a virtual thread of its own,
 * which also waits, for a conflict, for room in the log, for the disk: no thread of a dispatcher does. The coroutine
 * resumes on its own dispatcher.
 *
 * A coroutine that is cancelled before the body begins runs no transaction. Later it waits until the transaction has
 * ended, and then ends with `CancellationException`, although the transaction may have committed. The time limit of
 * [options] bounds the time until the commit, the store's `durabilityTimeout` that until it is durable.
 */
public suspend fun <T> Store.awaitUpdate(options: TxOptions = TxOptions.defaults(), body: (Tx) -> T): T =
    withContext(virtualThreads) { update(options, body) }

/** Runs a transaction that only reads, as [query] does, on a virtual thread of its own, and suspends; see [awaitUpdate]. */
public suspend fun <T> Store.awaitQuery(options: TxOptions = TxOptions.defaults(), body: (Tx) -> T): T =
    withContext(virtualThreads) { query(options, body) }

/**
 * Suspends until this commit has survived what a mode promises, and returns the body's result. No thread waits: the
 * store completes a stage on its completion executor, and the coroutine resumes on its own dispatcher. A coroutine that
 * is cancelled stops waiting; the commit stays.
 *
 * The call itself waits if 65,536 stages wait already.
 */
public suspend fun <T> Receipt<T>.awaitDurable(durability: Durability = Durability.SYNC): T =
    whenDurable(durability).await()
