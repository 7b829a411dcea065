package shop

import io.howdah.Store
import io.howdah.txn.Tx

/*
 * Howdah's methods name the exception that a body throws as a type parameter. Kotlin has no checked exceptions and does
 * not infer it, so these say it once.
 */

/** Runs a transaction that may write, and returns its body's result once it is durable. */
fun <T> Store.update(body: (Tx) -> T): T = call<T, RuntimeException> { tx -> body(tx) }

/** Runs a transaction that only reads, and returns its body's result. */
fun <T> Store.query(body: (Tx) -> T): T = read<T, RuntimeException> { tx -> body(tx) }
