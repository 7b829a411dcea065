package io.howdah.jcache;

import javax.cache.Cache;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * A change of an entry, as one listener is told of it.
 *
 * @param <K> the keys
 * @param <V> the values
 */
final class EntryEvent<K, V> extends CacheEntryEvent<K, V> {

  private static final long serialVersionUID = 1;

  // An event is serializable by its superclass. It belongs to the listener's call and is not sent.
  private final transient K key;
  private final transient V value;
  private final transient @Nullable V oldValue;

  /**
   * Creates an event.
   *
   * @param value the new value; the last one of a removal or expiry
   * @param oldValue null if there was none, or the listener does not ask for it
   */
  EntryEvent(Cache<K, V> cache, EventType type, K key, V value, @Nullable V oldValue) {
    super(cache, type);
    this.key = key;
    this.value = value;
    this.oldValue = oldValue;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public V getValue() {
    return value;
  }

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations, and null for no old value
  public V getOldValue() {
    return oldValue;
  }

  @Override
  public boolean isOldValueAvailable() {
    return oldValue != null;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return Unwrapping.unwrap(type, this);
  }

  @Override
  public String toString() {
    return getEventType() + " " + key + "=" + value;
  }
}
