/**
 * Opening a store: locks, checks, recovery, and what watches the files while it is open.
 *
 * <p>Locks are taken here; the lock and its messages are in {@link io.howdah.core.storage.file}.
 *
 * <p>Start reading at {@link io.howdah.store.open.StoreOpening}.
 */
@NullMarked
package io.howdah.store.open;

import org.jspecify.annotations.NullMarked;
