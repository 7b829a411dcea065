package io.howdah.jcache;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.PersistentCache;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/**
 * The caches of a store by JSR 107: from {@link HowdahCachingProvider}, or by {@link #of} for a
 * store that the program has opened.
 *
 * <p>A cache is a {@link PersistentCache} of the same name. {@code createCache} opens the one that
 * the store has, with the entries that it has; {@code close} leaves it there, and {@code
 * destroyCache} drops it. The store remembers the codecs, and {@code createCache} refuses others
 * with {@link CacheException}. The rest of the configuration is the program's, each time anew.
 *
 * <p>Thread-safe.
 */
public final class HowdahCacheManager implements CacheManager {

  private static final AtomicLong WRAPPED = new AtomicLong();

  private final HowdahCachingProvider provider;
  private final URI uri;
  private final ClassLoader loader;
  private final Properties properties;
  private final CacheOptions bound;
  private final @Nullable CacheCodecs codecs;
  private final Store store;
  private final Runnable closeStore;
  private final Map<String, JCache<?, ?>> caches = new TreeMap<>(); // guarded by this
  private boolean isClosed; // guarded by this

  HowdahCacheManager(
      HowdahCachingProvider provider,
      URI uri,
      ClassLoader loader,
      Properties properties,
      ManagerProperties read,
      Store store,
      Runnable closeStore) {
    this.provider = provider;
    this.uri = uri;
    this.loader = loader;
    this.properties = properties;
    this.bound = read.bound();
    this.codecs = read.codecs();
    this.store = store;
    this.closeStore = closeStore;
  }

  /**
   * Returns a new manager for an open store, which stays open when the manager is closed. Its
   * operations have the store's default durability.
   */
  public static HowdahCacheManager of(Store store) {
    return of(store, new Properties());
  }

  /**
   * Returns a new manager for an open store; see {@link #of(Store)}.
   *
   * @param properties {@link HowdahCachingProvider#CACHE_BYTES} and {@link
   *     HowdahCachingProvider#CODECS}; others are for stores that a manager opens, and have no
   *     effect
   */
  public static HowdahCacheManager of(Store store, Properties properties) {
    HowdahCachingProvider provider = new HowdahCachingProvider();
    ClassLoader loader = provider.getDefaultClassLoader();
    Properties own = provider.getDefaultProperties();
    own.putAll(properties);
    URI uri = URI.create("howdah:store-" + WRAPPED.incrementAndGet());
    return new HowdahCacheManager(
        provider, uri, loader, own, ManagerProperties.of(own, loader), store, () -> {});
  }

  Store store() {
    return store;
  }

  private void requireOpen() {
    if (isClosed()) {
      throw new IllegalStateException("cache manager " + uri + " is closed");
    }
  }

  @Override
  public CachingProvider getCachingProvider() {
    return provider;
  }

  @Override
  public URI getURI() {
    return uri;
  }

  @Override
  public ClassLoader getClassLoader() {
    return loader;
  }

  @Override
  public Properties getProperties() {
    return properties;
  }

  /**
   * Opens a cache of the store, or creates it there.
   *
   * @param configuration a {@link HowdahConfiguration} says more than JSR 107 knows
   * @throws CacheException if this manager has the cache already, or the store has another
   *     collection of that name, or one with other codecs
   * @throws UnsupportedOperationException if it is to store by reference
   */
  @Override
  public synchronized <K, V, C extends Configuration<K, V>> Cache<K, V> createCache(
      String cacheName, C configuration) {
    requireOpen();
    String name = Checks.nonNull(cacheName, "name of the cache");
    C asked = Checks.nonNull(configuration, "configuration");
    if (caches.containsKey(name)) {
      throw new CacheException("cache manager " + uri + " has a cache " + name + " already");
    }
    if (!asked.isStoreByValue()) {
      throw new UnsupportedOperationException(
          "cache " + name + " cannot store by reference: its entries are in a store");
    }
    HowdahConfiguration<K, V> own = copy(asked);
    JCache<K, V> cache = new JCache<>(this, open(name, own), own);
    caches.put(name, cache);
    return cache;
  }

  private static <K, V> HowdahConfiguration<K, V> copy(Configuration<K, V> configuration) {
    return configuration instanceof CompleteConfiguration<K, V> complete
        ? new HowdahConfiguration<>(complete)
        : new HowdahConfiguration<>(
            new MutableConfiguration<K, V>()
                .setTypes(configuration.getKeyType(), configuration.getValueType())
                .setStoreByValue(configuration.isStoreByValue()));
  }

  private <K, V> PersistentCache<K, V> open(String name, HowdahConfiguration<K, V> configuration) {
    try {
      Codec<K> keys = codec(configuration.keyCodec(), configuration.getKeyType());
      Codec<V> values = codec(configuration.valueCodec(), configuration.getValueType());
      V marker = configuration.nullMarker();
      return store.cache(
          name,
          keys,
          marker == null ? values : new MarkedCodec<>(values, marker),
          configuration.options(bound));
    } catch (CollectionMismatchException e) {
      throw new CacheException(
          "cache "
              + name
              + " is not what the store has by that name, so it is not opened; give it another"
              + " name, or drop what is there: "
              + e.getMessage(),
          e);
    } catch (CodecException e) {
      throw new CacheException(
          "cache "
              + name
              + " has no codec for keys of "
              + configuration.getKeyType().getName()
              + " or values of "
              + configuration.getValueType().getName()
              + "; name the types by setTypes, or give codecs by HowdahConfiguration.setCodecs or"
              + " the property "
              + HowdahCachingProvider.CODECS
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private <T> Codec<T> codec(@Nullable Codec<T> configured, Class<T> type) {
    if (configured != null) {
      return configured;
    }
    Codec<T> own = codecs == null ? null : codecs.codec(type, loader);
    return own == null ? store.admin().options().codecs().of(type) : own;
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // the types are compared; null for no such cache
  public synchronized <K, V> Cache<K, V> getCache(
      String cacheName, Class<K> keyType, Class<V> valueType) {
    requireOpen();
    Class<K> keys = Checks.nonNull(keyType, "type of keys");
    Class<V> values = Checks.nonNull(valueType, "type of values");
    JCache<?, ?> cache = caches.get(Checks.nonNull(cacheName, "name of the cache"));
    if (cache != null && !cache.isOf(keys, values)) {
      throw new ClassCastException(
          "cache "
              + cacheName
              + " has the types "
              + cache.types()
              + ", not "
              + keys.getName()
              + " and "
              + values.getName());
    }
    return (Cache<K, V>) cache;
  }

  @Override
  @SuppressWarnings({
    "unchecked",
    "NullAway"
  }) // JSR 107 lets the caller say; null for no such cache
  public synchronized <K, V> Cache<K, V> getCache(String cacheName) {
    requireOpen();
    return (Cache<K, V>) caches.get(Checks.nonNull(cacheName, "name of the cache"));
  }

  /** Returns the names of the caches that this manager has created and not closed. */
  @Override
  public synchronized Iterable<String> getCacheNames() {
    requireOpen();
    return List.copyOf(caches.keySet());
  }

  private synchronized @Nullable JCache<?, ?> known(String name) {
    requireOpen();
    return caches.get(Checks.nonNull(name, "name of the cache"));
  }

  /** Closes a cache that this manager has, and drops its entries; does nothing for others. */
  @Override
  public void destroyCache(String cacheName) {
    JCache<?, ?> cache = known(cacheName);
    if (cache != null) {
      try {
        cache.close();
      } finally {
        boolean _ = store.admin().drop(cacheName);
      }
    }
  }

  /** Forgets a cache that is being closed. */
  synchronized void release(JCache<?, ?> cache) {
    boolean _ = caches.remove(cache.getName(), cache);
  }

  @Override
  public void enableManagement(String cacheName, boolean enabled) {
    JCache<?, ?> cache = known(cacheName);
    if (cache != null) {
      cache.enableManagement(enabled);
    }
  }

  @Override
  public void enableStatistics(String cacheName, boolean enabled) {
    JCache<?, ?> cache = known(cacheName);
    if (cache != null) {
      cache.enableStatistics(enabled);
    }
  }

  /**
   * Closes the caches, and the store if a manager has opened it and no other uses it. The entries
   * stay in the store.
   */
  @Override
  public void close() {
    List<JCache<?, ?>> open;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      open = new ArrayList<>(caches.values());
    }
    provider.release(this);
    try {
      open.forEach(HowdahCacheManager::closeQuietly);
    } finally {
      closeStore.run();
    }
  }

  private static void closeQuietly(JCache<?, ?> cache) {
    try {
      cache.close();
    } catch (
        CacheException e) { // of a part of the program's; the store is to be closed all the same
      System.getLogger("io.howdah.jcache")
          .log(System.Logger.Level.WARNING, "cache " + cache.getName() + " was closed", e);
    }
  }

  @Override
  public synchronized boolean isClosed() {
    return isClosed;
  }

  /** Returns this as its class, or its {@link Store}. */
  @Override
  public <T> T unwrap(Class<T> type) {
    return Unwrapping.unwrap(type, this, store);
  }

  @Override
  public String toString() {
    return "cache manager " + uri;
  }
}
