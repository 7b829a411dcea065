package io.howdah.collections;

import io.howdah.txn.Tx;
import java.util.Iterator;

/**
 * A {@link PersistentMap} behind the interfaces of {@code java.util}. Thread-safe if its calls are.
 */
final class MapView<K, V> extends KeyedView<K, V> {

  private final PersistentMap<K, V> map;

  MapView(PersistentMap<K, V> map, ViewCalls calls) {
    super(map, calls);
    this.map = map;
  }

  @Override
  boolean covers(Tx tx, K key) {
    return true;
  }

  @Override
  Iterator<Entry<K, V>> entries(Tx tx) {
    return map.iterator(tx);
  }

  @Override
  long count(Tx tx) {
    return map.size(tx);
  }
}
