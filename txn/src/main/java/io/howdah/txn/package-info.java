/**
 * Transactions over the words of a region: what a body gets and what it may throw.
 *
 * <p>Start reading at {@link io.howdah.txn.Tx}. The engine is in {@code io.howdah.txn.stm}, the
 * allocator in {@code io.howdah.txn.alloc}.
 */
@NullMarked
package io.howdah.txn;

import org.jspecify.annotations.NullMarked;
