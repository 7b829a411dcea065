package io.howdah.jcache;

import io.howdah.codec.Codec;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the codecs of keys and values by the types that the configuration of a cache names. A
 * program names its class in the property {@value HowdahCachingProvider#CODECS} of the cache
 * manager; the class has a public constructor without parameters. Without it, and for types for
 * which it returns null, a cache has the codecs that {@code StoreOptions.codecs} of its store has
 * or derives: for {@code String}, numbers, {@code byte[]}, times, records, enums and sealed
 * interfaces.
 *
 * <p>Implementations are thread-safe.
 */
public interface CacheCodecs {

  /**
   * Returns the codec of a type, or null for the store's.
   *
   * @param type as in the configuration; {@code Object} if that names none
   * @param loader of the cache manager
   */
  <T> @Nullable Codec<T> codec(Class<T> type, ClassLoader loader);
}
