/**
 * Opening a store: locks, checks, recovery, and what watches the files while it is open.
 *
 * <p>Start reading at {@link io.howdah.store.open.StoreOpening}.
 */
@NullMarked
package io.howdah.store.open;

import org.jspecify.annotations.NullMarked;
