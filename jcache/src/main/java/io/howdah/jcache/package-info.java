/**
 * JSR 107 (JCache) over the caches of a store: a provider whose caches a restart does not empty.
 *
 * <p>Start reading at {@link io.howdah.jcache.HowdahCachingProvider}, then at {@code JCache}, which
 * has the operations. Each change of an entry is one transaction of the store. Code of the program
 * (loaders, writers, processors) runs outside of transactions, while the key is locked; the
 * transaction after it checks that the entry is as it was.
 */
@NullMarked
package io.howdah.jcache;

import org.jspecify.annotations.NullMarked;
