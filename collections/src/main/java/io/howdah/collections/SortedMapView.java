package io.howdah.collections;

import io.howdah.collections.structure.KeyRange;
import io.howdah.collections.views.ViewCalls;
import io.howdah.txn.Tx;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * A range of a {@link PersistentSortedMap}, in one of the two directions, behind the interfaces of
 * {@code java.util}. Thread-safe if its calls are.
 */
final class SortedMapView<K, V> extends KeyedView<K, V> implements ConcurrentNavigableMap<K, V> {

  private final PersistentSortedMap<K, V> map;
  private final KeyRange range;
  private final boolean ascending;

  SortedMapView(PersistentSortedMap<K, V> map, ViewCalls calls, KeyRange range, boolean ascending) {
    super(map, calls);
    this.map = map;
    this.range = range;
    this.ascending = ascending;
  }

  @Override
  boolean covers(Tx tx, K key) {
    return range.isAll() || range.contains(map.bytes(tx, key));
  }

  @Override
  Iterator<Entry<K, V>> entries(Tx tx) {
    return map.iterator(tx, range, ascending);
  }

  @Override
  long count(Tx tx) {
    if (range.isAll()) {
      return map.size(tx);
    }
    long count = 0;
    for (Iterator<Entry<K, V>> all = entries(tx); all.hasNext(); all.next()) {
      count++;
    }
    return count;
  }

  @Override
  ViewCalls.Piece clearing() {
    return clearing(map, range);
  }

  private static ViewCalls.Piece clearing(PersistentSortedMap<?, ?> map, KeyRange range) {
    return (tx, entries) -> {
      KeyRange rest = map.clear(tx, range, entries);
      return rest == null ? null : clearing(map, rest);
    };
  }

  @Override
  public boolean isEmpty() {
    return !calls().<Boolean>read(tx -> entries(tx).hasNext());
  }

  @Override
  public Comparator<? super K> comparator() {
    return ascending ? map.comparator() : Collections.reverseOrder(map.comparator());
  }

  // ---- Entries and keys next to a key, in this view's direction.

  /** Returns the first entry of a part of this view, from its beginning or from its end. */
  private static <K, V> Optional<Entry<K, V>> first(
      Tx tx, PersistentSortedMap<K, V> map, KeyRange part, boolean ascending) {
    Iterator<Entry<K, V>> all = map.iterator(tx, part, ascending);
    return all.hasNext() ? Optional.of(all.next()) : Optional.empty();
  }

  private @Nullable Entry<K, V> end(boolean fromBeginning) {
    return optional(tx -> first(tx, map, range, fromBeginning == ascending));
  }

  /** Returns the entry that comes next before or behind a key. */
  private @Nullable Entry<K, V> next(K key, boolean inclusive, boolean behind) {
    Objects.requireNonNull(key);
    boolean isGreater = behind == ascending;
    return optional(
        tx -> {
          byte[] bytes = map.bytes(tx, key);
          KeyRange part = isGreater ? range.from(bytes, inclusive) : range.to(bytes, inclusive);
          return first(tx, map, part, isGreater);
        });
  }

  private static <K> @Nullable K keyOf(@Nullable Entry<K, ?> entry) {
    return entry == null ? null : entry.getKey();
  }

  private static <K> K existing(@Nullable Entry<K, ?> entry) {
    if (entry == null) {
      throw new NoSuchElementException("the map is empty");
    }
    return entry.getKey();
  }

  @Override
  public @Nullable Entry<K, V> firstEntry() {
    return end(true);
  }

  @Override
  public @Nullable Entry<K, V> lastEntry() {
    return end(false);
  }

  @Override
  public K firstKey() {
    return existing(end(true));
  }

  @Override
  public K lastKey() {
    return existing(end(false));
  }

  @Override
  public @Nullable Entry<K, V> lowerEntry(K key) {
    return next(key, false, false);
  }

  @Override
  public @Nullable K lowerKey(K key) {
    return keyOf(lowerEntry(key));
  }

  @Override
  public @Nullable Entry<K, V> floorEntry(K key) {
    return next(key, true, false);
  }

  @Override
  public @Nullable K floorKey(K key) {
    return keyOf(floorEntry(key));
  }

  @Override
  public @Nullable Entry<K, V> ceilingEntry(K key) {
    return next(key, true, true);
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    return keyOf(ceilingEntry(key));
  }

  @Override
  public @Nullable Entry<K, V> higherEntry(K key) {
    return next(key, false, true);
  }

  @Override
  public @Nullable K higherKey(K key) {
    return keyOf(higherEntry(key));
  }

  @Override
  public @Nullable Entry<K, V> pollFirstEntry() {
    return poll(true);
  }

  @Override
  public @Nullable Entry<K, V> pollLastEntry() {
    return poll(false);
  }

  private @Nullable Entry<K, V> poll(boolean fromBeginning) {
    return optional(tx -> Optional.ofNullable(map.poll(tx, range, fromBeginning == ascending)));
  }

  // ---- Parts.

  @Override
  public SortedMapView<K, V> descendingMap() {
    return new SortedMapView<>(map, calls(), range, !ascending);
  }

  @Override
  public SortedMapView<K, V> subMap(
      K fromKey, boolean fromInclusive, K toKey, boolean toInclusive) {
    return part(
        Objects.requireNonNull(fromKey), fromInclusive, Objects.requireNonNull(toKey), toInclusive);
  }

  @Override
  public SortedMapView<K, V> headMap(K toKey, boolean inclusive) {
    return part(null, true, Objects.requireNonNull(toKey), inclusive);
  }

  @Override
  public SortedMapView<K, V> tailMap(K fromKey, boolean inclusive) {
    return part(Objects.requireNonNull(fromKey), inclusive, null, true);
  }

  @Override
  public SortedMapView<K, V> subMap(K fromKey, K toKey) {
    return subMap(fromKey, true, toKey, false);
  }

  @Override
  public SortedMapView<K, V> headMap(K toKey) {
    return headMap(toKey, false);
  }

  @Override
  public SortedMapView<K, V> tailMap(K fromKey) {
    return tailMap(fromKey, true);
  }

  /** Returns a part of this view; a bound that is null is that of this view. */
  private SortedMapView<K, V> part(
      @Nullable K first, boolean firstInclusive, @Nullable K last, boolean lastInclusive) {
    KeyRange part =
        calls()
            .call(
                tx -> {
                  KeyRange begun = narrowed(tx, range, first, firstInclusive, ascending);
                  return narrowed(tx, begun, last, lastInclusive, !ascending);
                });
    if (part.isReversed()) {
      throw new IllegalArgumentException(
          "a part of " + map + " from " + first + " to " + last + " ends before it begins");
    }
    return new SortedMapView<>(map, calls(), part, ascending);
  }

  /** Returns a range from a key on, or up to it. */
  private KeyRange narrowed(
      Tx tx, KeyRange wide, @Nullable K bound, boolean inclusive, boolean isLower) {
    if (bound == null) {
      return wide;
    }
    byte[] bytes = map.bytes(tx, bound);
    if (!(inclusive ? range.contains(bytes) : range.isBetweenBounds(bytes))) {
      throw new IllegalArgumentException("the key " + bound + " is outside of this part of " + map);
    }
    return isLower ? wide.from(bytes, inclusive) : wide.to(bytes, inclusive);
  }

  // ---- Keys.

  @Override
  public NavigableSet<K> keySet() {
    return new SortedKeys<>(this);
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return keySet();
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return descendingMap().navigableKeySet();
  }
}
