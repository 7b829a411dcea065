/**
 * Which entries of a cache are worth keeping: estimates of how often keys are used, and candidates
 * for eviction. Nothing here reads or writes the region.
 *
 * <p>Start reading at {@link io.howdah.collections.eviction.CachePolicy}.
 */
@NullMarked
package io.howdah.collections.eviction;

import org.jspecify.annotations.NullMarked;
