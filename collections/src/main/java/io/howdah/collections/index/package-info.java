/**
 * Indexes as the store has them: what a change of an entry does to each, and their names and types
 * in the catalogue. Start with {@link io.howdah.collections.index.MapIndexes}. Below the
 * collections: an index knows its map as an {@link io.howdah.collections.index.IndexedMap}.
 */
@NullMarked
package io.howdah.collections.index;

import org.jspecify.annotations.NullMarked;
