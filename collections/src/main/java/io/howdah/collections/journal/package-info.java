/**
 * Change journals in the region, and the threads that call listeners.
 *
 * <p>Start reading at {@link io.howdah.collections.journal.StoredJournal}, then {@link
 * io.howdah.collections.journal.Delivery}. Decision 51 says why it is safe.
 */
@NullMarked
package io.howdah.collections.journal;

import org.jspecify.annotations.NullMarked;
