/**
 * The changes of a map, read or listened to in the order of their commits.
 *
 * <p>Start reading at {@link io.howdah.collections.changes.Changes}. How changes are stored is in
 * {@code io.howdah.collections.journal}.
 */
@NullMarked
package io.howdah.collections.changes;

import org.jspecify.annotations.NullMarked;
