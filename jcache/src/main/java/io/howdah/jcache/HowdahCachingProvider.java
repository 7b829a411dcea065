package io.howdah.jcache;

import io.howdah.Store;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/**
 * The provider of JSR 107, which {@code Caching.getCachingProvider()} finds by itself if this is
 * the only one on the class path.
 *
 * {@snippet :
 * CachingProvider provider = Caching.getCachingProvider();
 * CacheManager manager =
 *     provider.getCacheManager(Path.of("/var/lib/shop/caches").toUri(), null);
 * Cache<String, Page> pages =
 *     manager.createCache("pages", new HowdahConfiguration<>(String.class, Page.class));
 * }
 *
 * <p>The URI of a manager is the directory of its store: {@code file:///...}, or a relative path.
 * Managers of one directory share one open store, whose options are those of the first. The default
 * is the directory {@value #DEFAULT_DIRECTORY} below the working directory, or what the system
 * property {@value #DIRECTORY} names.
 *
 * <p>Managers have these properties, by default the system properties of the same names; sizes may
 * end in K, M or G:
 *
 * <ul>
 *   <li>{@value #MAX_SIZE}: {@code StoreOptions.withMaxSize}
 *   <li>{@value #DURABILITY}: of all operations; {@code ASYNC} by default, so entries survive a
 *       kill of the process at once and a power cut a moment later
 *   <li>{@value #BACKING}: {@code StoreOptions.withBacking}
 *   <li>{@value #CACHE_BYTES}: the bound of a cache whose configuration has none, 64M by default
 *   <li>{@value #CODECS}: the class of a {@link CacheCodecs}
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class HowdahCachingProvider implements CachingProvider {

  /** The property for the greatest size of the store in bytes. */
  public static final String MAX_SIZE = "howdah.max-size";

  /** The property for the durability of all operations. */
  public static final String DURABILITY = "howdah.durability";

  /** The property for the memory that the store has. */
  public static final String BACKING = "howdah.backing";

  /** The property for the bound of caches whose configuration has none. */
  public static final String CACHE_BYTES = "howdah.cache-bytes";

  /** The property for the class that chooses codecs. */
  public static final String CODECS = "howdah.codecs";

  /** The system property for the directory of the default URI. */
  public static final String DIRECTORY = "howdah.jcache.directory";

  /** The default of that directory. */
  public static final String DEFAULT_DIRECTORY = "howdah-jcache";

  static final List<String> PROPERTIES =
      List.of(MAX_SIZE, DURABILITY, BACKING, CACHE_BYTES, CODECS);

  private final URI defaultUri =
      withoutSlash(Path.of(System.getProperty(DIRECTORY, DEFAULT_DIRECTORY)).toUri());

  private final Map<ClassLoader, Map<URI, HowdahCacheManager>> managers =
      new HashMap<>(); // guarded by this

  /** Creates a provider without a manager. */
  public HowdahCachingProvider() {}

  /** A directory that exists has a slash in its URI, and one that does not has none. */
  private static URI withoutSlash(URI uri) {
    String text = uri.toString();
    return URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
  }

  /**
   * Returns the manager of a directory, and opens its store if no manager has it.
   *
   * @param uri null for the default
   * @param classLoader null for the default
   * @param properties in place of the default ones of the same names, null for none; see this
   *     class. A manager that is open keeps its own
   * @throws CacheException if the store cannot be opened, or the URI is no directory
   */
  @Override
  public synchronized CacheManager getCacheManager(
      @Nullable URI uri, @Nullable ClassLoader classLoader, @Nullable Properties properties) {
    URI name = uri == null ? defaultUri : uri;
    ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
    Map<URI, HowdahCacheManager> ofLoader = managers.computeIfAbsent(loader, _ -> new HashMap<>());
    HowdahCacheManager manager = ofLoader.get(name);
    if (manager == null) {
      manager = open(name, loader, properties);
      ofLoader.put(name, manager);
    }
    return manager;
  }

  private HowdahCacheManager open(URI uri, ClassLoader loader, @Nullable Properties properties) {
    Path directory = directory(uri);
    Properties own = getDefaultProperties();
    if (properties != null) {
      own.putAll(properties);
    }
    ManagerProperties read = ManagerProperties.of(own, loader);
    Store store;
    try {
      store = SharedStores.open(directory, read.store());
    } catch (RuntimeException e) {
      throw new CacheException(
          "the store of cache manager " + uri + " cannot be opened: " + e.getMessage(), e);
    }
    return new HowdahCacheManager(
        this, uri, loader, own, read, store, () -> SharedStores.close(directory));
  }

  private static Path directory(URI uri) {
    try {
      Path path = uri.getScheme() == null ? Path.of(uri.getPath()) : Path.of(uri);
      return path.toAbsolutePath().normalize();
    } catch (RuntimeException e) { // of the file system that the URI names, in many classes
      throw new CacheException(
          "the URI of a cache manager names the directory of its store, as file:///var/lib/caches"
              + " does; "
              + uri
              + " does not: "
              + e,
          e);
    }
  }

  @Override
  public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader) {
    return getCacheManager(uri, classLoader, null);
  }

  @Override
  public CacheManager getCacheManager() {
    return getCacheManager(null, null, null);
  }

  /** Returns the class loader of this class. */
  @Override
  public ClassLoader getDefaultClassLoader() {
    return HowdahCachingProvider.class.getClassLoader();
  }

  @Override
  public URI getDefaultURI() {
    return defaultUri;
  }

  /** Returns the properties of managers that are system properties. */
  @Override
  public Properties getDefaultProperties() {
    Properties defaults = new Properties();
    for (String name : PROPERTIES) {
      String value = System.getProperty(name);
      if (value != null) {
        Object _ = defaults.setProperty(name, value);
      }
    }
    return defaults;
  }

  /** Forgets a manager that is being closed. */
  synchronized void release(HowdahCacheManager manager) {
    Map<URI, HowdahCacheManager> ofLoader = managers.get(manager.getClassLoader());
    if (ofLoader != null && ofLoader.remove(manager.getURI(), manager) && ofLoader.isEmpty()) {
      managers.remove(manager.getClassLoader());
    }
  }

  private synchronized List<HowdahCacheManager> managers(
      @Nullable ClassLoader loader, @Nullable URI uri) {
    List<HowdahCacheManager> found = new ArrayList<>();
    managers.forEach(
        (ofLoader, all) ->
            all.forEach(
                (name, manager) -> {
                  if ((loader == null || ofLoader.equals(loader))
                      && (uri == null || name.equals(uri))) {
                    found.add(manager);
                  }
                }));
    return found;
  }

  @Override
  public void close() {
    managers(null, null).forEach(HowdahCacheManager::close);
  }

  @Override
  public void close(@Nullable ClassLoader classLoader) {
    ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
    managers(loader, null).forEach(HowdahCacheManager::close);
  }

  @Override
  public void close(@Nullable URI uri, @Nullable ClassLoader classLoader) {
    ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
    managers(loader, uri == null ? defaultUri : uri).forEach(HowdahCacheManager::close);
  }

  /** Returns false: entries are in a store, so they cannot be kept by reference. */
  @Override
  public boolean isSupported(OptionalFeature optionalFeature) {
    return false;
  }
}
