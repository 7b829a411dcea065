package io.howdah.jcache;

import io.howdah.StoreOptions;
import io.howdah.collections.CacheOptions;
import io.howdah.core.Backing;
import io.howdah.txn.Durability;
import java.util.Locale;
import java.util.Properties;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * What the properties of a cache manager say; {@link HowdahCachingProvider} documents them.
 *
 * @param store options of the manager's store
 * @param bound of caches whose configuration has none
 * @param codecs null for those of the store
 */
record ManagerProperties(StoreOptions store, CacheOptions bound, @Nullable CacheCodecs codecs) {

  private static final String PREFIX = "howdah.";
  private static final long DEFAULT_BYTES = 64 << 20;
  private static final String UNITS = "KMG";
  private static final int UNIT_BITS = 10;

  /**
   * Reads properties.
   *
   * @throws IllegalArgumentException if one that begins with {@code howdah.} is unknown, or has no
   *     such value
   */
  static ManagerProperties of(Properties properties, ClassLoader loader) {
    StoreOptions store = StoreOptions.defaults().withDefaultDurability(Durability.ASYNC);
    CacheOptions bound = CacheOptions.ofBytes(DEFAULT_BYTES);
    CacheCodecs codecs = null;
    for (String name : properties.stringPropertyNames()) {
      String value = properties.getProperty(name).strip();
      switch (name) {
        case HowdahCachingProvider.MAX_SIZE ->
            store = set(store, name, value, ManagerProperties::bytes, StoreOptions::withMaxSize);
        case HowdahCachingProvider.DURABILITY ->
            store =
                set(
                    store,
                    name,
                    value,
                    text -> Durability.valueOf(text.toUpperCase(Locale.ROOT)),
                    StoreOptions::withDefaultDurability);
        case HowdahCachingProvider.BACKING ->
            store =
                set(
                    store,
                    name,
                    value,
                    text -> Backing.valueOf(text.toUpperCase(Locale.ROOT)),
                    StoreOptions::withBacking);
        case HowdahCachingProvider.CACHE_BYTES ->
            bound =
                set(
                    bound,
                    name,
                    value,
                    ManagerProperties::bytes,
                    (_, n) -> CacheOptions.ofBytes(n));
        case HowdahCachingProvider.CODECS -> codecs = codecs(value, loader);
        default -> {
          if (name.startsWith(PREFIX)) {
            throw new IllegalArgumentException(
                "\""
                    + name
                    + "\" is no property of a cache manager; those that begin with "
                    + PREFIX
                    + " are "
                    + HowdahCachingProvider.PROPERTIES);
          }
        }
      }
    }
    return new ManagerProperties(store, bound, codecs);
  }

  private static <T, V> T set(
      T options, String name, String text, Function<String, V> read, BiFunction<T, V, T> setter) {
    try {
      return setter.apply(options, read.apply(text));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "property " + name + " cannot be \"" + text + "\": " + e.getMessage(), e);
    }
  }

  /** Reads a number of bytes, with K, M or G behind it or without. */
  private static long bytes(String text) {
    int last = text.length() - 1;
    int unit = last < 0 ? -1 : UNITS.indexOf(Character.toUpperCase(text.charAt(last)));
    String digits = unit < 0 ? text : text.substring(0, last);
    return Math.multiplyExact(Long.parseLong(digits.strip()), 1L << (UNIT_BITS * (unit + 1)));
  }

  private static CacheCodecs codecs(String name, ClassLoader loader) {
    try {
      return loader.loadClass(name).asSubclass(CacheCodecs.class).getConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new CacheException(
          "property "
              + HowdahCachingProvider.CODECS
              + " names "
              + name
              + ", which must be a class of "
              + CacheCodecs.class.getName()
              + " with a public constructor without parameters: "
              + e,
          e);
    }
  }
}
