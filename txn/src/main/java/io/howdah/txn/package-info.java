/**
 * Transactions over the words of a region: what a body gets and what it may throw.
 *
 * <p>Start reading at {@link io.howdah.txn.Tx}. Attempts and their commits are in {@code
 * io.howdah.txn.stm}, what a running transaction reads and writes in {@code io.howdah.txn.words},
 * the allocator in {@code io.howdah.txn.alloc}.
 */
@NullMarked
package io.howdah.txn;

import org.jspecify.annotations.NullMarked;
