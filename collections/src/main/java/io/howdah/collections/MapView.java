package io.howdah.collections;

import io.howdah.collections.views.PartIterator;
import io.howdah.collections.views.ViewCalls;
import io.howdah.collections.views.ViewSpliterator;
import io.howdah.txn.Tx;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.Spliterator;
import org.jspecify.annotations.Nullable;

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

  @Override
  ViewCalls.Piece clearing() {
    return clearingFrom(0);
  }

  private ViewCalls.Piece clearingFrom(long position) {
    return (tx, entries) -> {
      long rest = map.clear(tx, position, entries);
      return rest == 0 ? null : clearingFrom(rest);
    };
  }

  @Override
  public Set<K> keySet() {
    return new Keys();
  }

  /** Finds and removes one key without going over the others. */
  private final class Keys extends AbstractSet<K> {

    @Override
    public Iterator<K> iterator() {
      return new PartIterator<>(entrySet().iterator(), Map.Entry::getKey);
    }

    @Override
    public Spliterator<K> spliterator() {
      return ViewSpliterator.of(iterator(), Spliterator.DISTINCT);
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean contains(@Nullable Object key) {
      return containsKey(key);
    }

    @Override
    public boolean remove(@Nullable Object key) {
      return MapView.this.remove(key) != null;
    }

    @Override
    public boolean removeAll(Collection<?> keys) {
      return removeEach(this, keys);
    }

    @Override
    public boolean retainAll(Collection<?> keys) {
      return removeIf(isKeyIn(keys).negate());
    }

    @Override
    public void clear() {
      MapView.this.clear();
    }
  }
}
