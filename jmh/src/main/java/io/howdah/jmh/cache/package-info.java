/**
 * What {@code howdah bench cache} measures: hit ratios on traces beside other policies, the price
 * of a hit and of a put that evicts, and what a cache has after a kill.
 *
 * <p>Start reading at {@link io.howdah.jmh.cache.CacheTrace}.
 */
@NullMarked
package io.howdah.jmh.cache;

import org.jspecify.annotations.NullMarked;
