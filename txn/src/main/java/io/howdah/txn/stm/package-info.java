/**
 * Attempts: the life and the outcome of transactions, while {@link io.howdah.txn.words} is what
 * they read and write.
 *
 * <p>Start reading at {@link io.howdah.txn.stm.TxRunner}, which repeats a body until it commits;
 * {@link io.howdah.txn.stm.Attempt} is one run of a body, {@link io.howdah.txn.stm.Committer} its
 * commit.
 *
 * <p>The algorithm is TL2 (Dice, Shalev and Shavit, DISC 2006): reads are validated against
 * versioned ownership records, and writes are kept back until the commit, which locks, takes its
 * LSN from a global clock, validates, publishes its redo record, stores and releases. The extension
 * of snapshots is TinySTM's (Felber, Fetzer and Riegel, PPoPP 2008), the partitioned redo log and
 * the split-phase commit are Hathi's (DaMoN 2012). Howdah departs from them in two points: the
 * clock's value is the LSN, dense, and taken before the validation; and a validation that fails
 * leaves a VOID record. The rules are in docs/protocol.md; docs/models/tl2.cpp is the model.
 *
 * <p>Threading: an attempt and its handle belong to one thread at a time; everything else is
 * shared. There is no ThreadLocal.
 */
@NullMarked
package io.howdah.txn.stm;

import org.jspecify.annotations.NullMarked;
