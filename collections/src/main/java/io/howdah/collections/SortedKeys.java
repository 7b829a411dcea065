package io.howdah.collections;

import io.howdah.collections.views.PartIterator;
import io.howdah.collections.views.ViewSpliterator;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Spliterator;
import org.jspecify.annotations.Nullable;

/** The keys of a map as a set. What is removed here is removed there. */
final class SortedKeys<K> extends AbstractSet<K> implements NavigableSet<K> {

  private final SortedMapView<K, ?> map;

  SortedKeys(SortedMapView<K, ?> map) {
    this.map = map;
  }

  @Override
  public Comparator<? super K> comparator() {
    return map.comparator();
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  @Override
  public boolean contains(Object key) {
    return map.containsKey(key);
  }

  @Override
  public boolean remove(Object key) {
    return map.remove(key) != null;
  }

  @Override
  public boolean removeAll(Collection<?> keys) {
    return KeyedView.removeEach(this, keys);
  }

  @Override
  public boolean retainAll(Collection<?> keys) {
    return removeIf(map.isKeyIn(keys).negate());
  }

  @Override
  public void clear() {
    map.clear();
  }

  @Override
  public K first() {
    return map.firstKey();
  }

  @Override
  public K last() {
    return map.lastKey();
  }

  @Override
  public @Nullable K lower(K key) {
    return map.lowerKey(key);
  }

  @Override
  public @Nullable K floor(K key) {
    return map.floorKey(key);
  }

  @Override
  public @Nullable K ceiling(K key) {
    return map.ceilingKey(key);
  }

  @Override
  public @Nullable K higher(K key) {
    return map.higherKey(key);
  }

  @Override
  public @Nullable K pollFirst() {
    return keyOf(map.pollFirstEntry());
  }

  @Override
  public @Nullable K pollLast() {
    return keyOf(map.pollLastEntry());
  }

  private static <K> @Nullable K keyOf(Map.@Nullable Entry<K, ?> entry) {
    return entry == null ? null : entry.getKey();
  }

  @Override
  public Iterator<K> iterator() {
    return keys(map);
  }

  @Override
  public Spliterator<K> spliterator() {
    return ViewSpliterator.sorted(iterator(), map.comparator());
  }

  @Override
  public Iterator<K> descendingIterator() {
    return keys(map.descendingMap());
  }

  private static <K, V> Iterator<K> keys(NavigableMap<K, V> map) {
    return new PartIterator<>(map.entrySet().iterator(), Map.Entry::getKey);
  }

  @Override
  public NavigableSet<K> descendingSet() {
    return new SortedKeys<>(map.descendingMap());
  }

  @Override
  public NavigableSet<K> subSet(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return new SortedKeys<>(map.subMap(from, fromInclusive, to, toInclusive));
  }

  @Override
  public NavigableSet<K> headSet(K to, boolean inclusive) {
    return new SortedKeys<>(map.headMap(to, inclusive));
  }

  @Override
  public NavigableSet<K> tailSet(K from, boolean inclusive) {
    return new SortedKeys<>(map.tailMap(from, inclusive));
  }

  @Override
  public NavigableSet<K> subSet(K from, K to) {
    return subSet(from, true, to, false);
  }

  @Override
  public NavigableSet<K> headSet(K to) {
    return headSet(to, false);
  }

  @Override
  public NavigableSet<K> tailSet(K from) {
    return tailSet(from, true);
  }
}
