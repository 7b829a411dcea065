/**
 * Transactions over a region, and the store that a program opens. This package is the API.
 *
 * <p>Start reading at {@link io.howdah.txn.Store} and {@link io.howdah.txn.Tx}; behind them {@code
 * TxRunner} repeats a body until it commits, {@code TxContext} is a running transaction, {@code
 * Committer} its commit, and {@code StoreOpening} what stands between a directory and a store.
 *
 * <p>The algorithm is TL2 (Dice, Shalev and Shavit, DISC 2006): words are validated against
 * versioned ownership records, writes are kept back until the commit, which locks, takes its LSN
 * from a global clock, validates, publishes its redo record, stores and releases. The extension of
 * snapshots is TinySTM's (Felber, Fetzer and Riegel, PPoPP 2008), the partitioned redo log and the
 * split-phase commit are Hathi's (DaMoN 2012). Where we depart: the clock's value is the LSN,
 * dense, taken before validation and not after; a validation that fails leaves a VOID record. The
 * rules are in docs/protocol.md; docs/models/tl2.cpp is the model they were checked with.
 *
 * <p>Threading: {@code Store} is for any number of threads, platform or virtual; a {@code Tx} is
 * for the one that runs its body. There is no ThreadLocal.
 */
@NullMarked
package io.howdah.txn;

import org.jspecify.annotations.NullMarked;
