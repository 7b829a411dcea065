package io.howdah.jcache;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import org.jspecify.annotations.Nullable;

/** The loader of a cache, or none. What it throws is wrapped as JSR 107 says. */
record Loader<K, V>(@Nullable CacheLoader<K, V> loader) {

  boolean isThere() {
    return loader != null;
  }

  /** Returns the value of a key; null if the loader has none. */
  @Nullable V load(K key) {
    CacheLoader<K, V> own = loader;
    return own == null ? null : call(() -> own.load(key));
  }

  /** Returns those keys that the loader has a value for, with their values. */
  Map<K, V> loadAll(List<K> keys) {
    CacheLoader<K, V> own = loader;
    if (own == null) {
      return Map.of();
    }
    Map<K, V> loaded = call(() -> own.loadAll(keys));
    Map<K, V> found = new LinkedHashMap<>();
    if (loaded != null) {
      for (K key : keys) {
        V value = loaded.get(key);
        if (value != null) {
          found.put(key, value);
        }
      }
    }
    return found;
  }

  private static <T extends @Nullable Object> T call(Supplier<T> load) {
    try {
      return load.get();
    } catch (CacheLoaderException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CacheLoaderException("the loader failed with " + e, e);
    }
  }
}
