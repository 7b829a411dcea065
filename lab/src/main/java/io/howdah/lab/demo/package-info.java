/**
 * The demo, and the kill campaign that shares its machinery. Start reading at {@code CrashRun}: a
 * parent JVM that kills, and {@code TransferChild}, the JVM that it kills.
 *
 * <p>The two share a {@code Board}, a file mapped by both, so what the child acknowledged outlives
 * it in the parent's own memory. Transfers are a function of seed, mode, thread and number ({@code
 * Transfers}), so the parent's {@code Ledger} knows what every city must have after a recovery
 * without trusting anything the store says but how many transfers there were.
 */
@NullMarked
package io.howdah.lab.demo;

import org.jspecify.annotations.NullMarked;
