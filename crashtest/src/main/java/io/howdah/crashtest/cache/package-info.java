/**
 * A cache whose process is killed again and again, held to a model: each entry has the value of its
 * last put, the bound is kept, and the account agrees with the entries.
 *
 * <p>Start reading at {@link io.howdah.crashtest.cache.CacheKills}.
 */
@NullMarked
package io.howdah.crashtest.cache;

import org.jspecify.annotations.NullMarked;
