/**
 * Attempts: the life cycle and the outcome of transactions. The words that they read and write are
 * in {@link io.howdah.txn.words}.
 *
 * <p>Start reading at {@link io.howdah.txn.stm.TxRunner}, which repeats a body until it commits;
 * {@link io.howdah.txn.stm.Attempt} is one run of a body, {@link io.howdah.txn.stm.Committer} its
 * commit.
 *
 * <p>The algorithm is TL2 (Dice, Shalev and Shavit, DISC 2006): reads are validated against
 * versioned ownership records, and writes are deferred until the commit. The commit locks, takes
 * its LSN from a global clock, validates, publishes its redo record, stores and releases. The
 * extension of snapshots is from TinySTM (Felber, Fetzer and Riegel, PPoPP 2008). The partitioned
 * redo log and the split-phase commit are from Hathi (DaMoN 2012). Howdah differs from them in two
 * points. The clock's value is the LSN, which is dense and taken before the validation. A failed
 * validation leaves a VOID record. The rules are in docs/protocol.md; docs/models/tl2.cpp is the
 * model.
 *
 * <p>An attempt and its handle belong to one thread at a time. All other objects are shared. The
 * package uses no ThreadLocal.
 */
@NullMarked
package io.howdah.txn.stm;

import org.jspecify.annotations.NullMarked;
