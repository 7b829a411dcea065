/**
 * What a protocol needs of a cache: items, and one atomic operation for each command. Start with
 * {@link io.howdah.server.cache.Cache}. No class here knows a protocol or a store.
 */
@NullMarked
package io.howdah.server.cache;

import org.jspecify.annotations.NullMarked;
