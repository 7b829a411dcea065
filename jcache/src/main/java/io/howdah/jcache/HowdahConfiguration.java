package io.howdah.jcache;

import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.MutableConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a cache with what JSR 107 has no words for: its bound, codecs, and an object
 * that stands for null.
 *
 * {@snippet :
 * manager.createCache(
 *     "pages",
 *     new HowdahConfiguration<>(String.class, Page.class)
 *         .setMaxBytes(256 << 20)
 *         .setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_HOUR)));
 * }
 *
 * <p>Not thread-safe; {@code createCache} takes a copy.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class HowdahConfiguration<K, V> extends MutableConfiguration<K, V> {

  private static final long serialVersionUID = 1;

  // Configurations are serializable by their interface. Codecs are not, and are not taken along.
  private transient @Nullable Codec<K> keyCodec;
  private transient @Nullable Codec<V> valueCodec;
  private transient @Nullable V nullMarker;
  private long maxBytes;
  private long maxEntries;

  /** Creates one for types. */
  public HowdahConfiguration(Class<K> keys, Class<V> values) {
    setTypes(keys, values);
  }

  /** Creates a copy of a configuration. */
  public HowdahConfiguration(CompleteConfiguration<K, V> other) {
    super(other);
    if (other instanceof HowdahConfiguration<K, V> own) {
      keyCodec = own.keyCodec;
      valueCodec = own.valueCodec;
      nullMarker = own.nullMarker;
      maxBytes = own.maxBytes;
      maxEntries = own.maxEntries;
    }
  }

  /**
   * Sets what the entries may weigh together; see {@link CacheOptions#ofBytes}.
   *
   * @return this
   */
  public HowdahConfiguration<K, V> setMaxBytes(long bytes) {
    CacheOptions _ = CacheOptions.ofBytes(bytes); // refuses what is not a bound
    maxBytes = bytes;
    return this;
  }

  /**
   * Sets how many entries there may be.
   *
   * @return this
   */
  public HowdahConfiguration<K, V> setMaxEntries(long entries) {
    CacheOptions _ = CacheOptions.ofEntries(entries); // refuses what is not a bound
    maxEntries = entries;
    return this;
  }

  /**
   * Sets the codecs, in place of those that the types have.
   *
   * @return this
   */
  public HowdahConfiguration<K, V> setCodecs(Codec<K> keys, Codec<V> values) {
    keyCodec = keys;
    valueCodec = values;
    return this;
  }

  /**
   * Sets an object that stands for null, which the codec of values does not know: the {@code
   * NullValue.INSTANCE} of Spring. Values take a byte more then, and a cache is created with such
   * an object or without one, and stays so.
   *
   * @return this
   */
  @SuppressWarnings("unchecked") // the cache stores and returns it, and does nothing else with it
  public HowdahConfiguration<K, V> setNullMarker(Object marker) {
    nullMarker = (V) marker;
    return this;
  }

  @Nullable Codec<K> keyCodec() {
    return keyCodec;
  }

  @Nullable Codec<V> valueCodec() {
    return valueCodec;
  }

  @Nullable V nullMarker() {
    return nullMarker;
  }

  /** Returns the options of the cache, with the bound given if this has none. */
  CacheOptions options(CacheOptions bound) {
    CacheOptions options = bound;
    if (maxBytes != 0 || maxEntries != 0) {
      options =
          maxEntries == 0 ? CacheOptions.ofBytes(maxBytes) : CacheOptions.ofEntries(maxEntries);
      options = maxBytes == 0 ? options : options.withMaxBytes(maxBytes);
    }
    return options.withExpirePerEntry();
  }

  // Configurations of the same meaning are equal, whatever bound they have: as JSR 107 compares.

  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
