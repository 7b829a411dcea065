/**
 * Hands out blocks of the region. What is allocated stands in transactional words, bitmaps of slabs
 * and descriptors of page runs, so an allocation happens with its transaction or not at all and
 * recovery has nothing to do for it. Where free space may be found is kept on the Java heap, as
 * hints: each is checked in a transaction before it is used, so a wrong one costs time only. While
 * a store grows, {@link io.howdah.txn.alloc.TouchAhead} touches the next pages in the background.
 *
 * <p>Start reading at {@link io.howdah.txn.alloc.HeapSession}.
 */
@NullMarked
package io.howdah.txn.alloc;

import org.jspecify.annotations.NullMarked;
