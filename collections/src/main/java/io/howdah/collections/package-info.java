/**
 * Persistent collections: maps, sets, lists, queues, counters and blobs, each under a name.
 *
 * <p>Start reading at {@link io.howdah.collections.PersistentCollections} and {@link
 * io.howdah.collections.PersistentMap}. Every operation is a part of the transaction that it is
 * given. The structures behind them are in {@code io.howdah.collections.structure}.
 */
@NullMarked
package io.howdah.collections;

import org.jspecify.annotations.NullMarked;
