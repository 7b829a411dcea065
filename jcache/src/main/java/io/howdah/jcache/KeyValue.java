package io.howdah.jcache;

import javax.cache.Cache;

/** An entry as it was at some moment. */
record KeyValue<K, V>(K key, V value) implements Cache.Entry<K, V> {

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public V getValue() {
    return value;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return Unwrapping.unwrap(type, this);
  }
}
