package io.howdah.cli.tables;

import io.howdah.collections.EntryExpiry;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.PersistentMultimap;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the rows of a file go. */
interface LoadTarget<K, V> {

  /**
   * Puts a row, and returns whether its key, or in a multimap the row, was there already.
   *
   * @param until when the row says that its entry expires, {@link Instant#MAX} for never; null if
   *     it does not say
   */
  boolean put(Tx tx, K key, V value, @Nullable Instant until);

  /**
   * Puts rows that say nothing of when their entries expire, and returns for how many {@link #put}
   * would have returned true.
   */
  default long putAll(Tx tx, List<K> keys, List<V> values) {
    long repeated = 0;
    for (int i = 0; i < keys.size(); i++) {
      repeated += put(tx, keys.get(i), values.get(i), null) ? 1 : 0;
    }
    return repeated;
  }

  /** Counts the entries. */
  long size(Tx tx);

  /** Returns what is to be said of the rows for which {@link #put} has returned true. */
  String repeated();

  /** Returns a map. */
  static <K, V> LoadTarget<K, V> of(KeyedCollection<K, V> map) {
    return new OfMap<>(map);
  }

  /** Returns a multimap. */
  static <K, V> LoadTarget<K, V> of(PersistentMultimap<K, V> map) {
    return new OfMultimap<>(map);
  }

  /**
   * Returns a map whose entries expire.
   *
   * @param timeToLive of the rows that do not say when their entry expires
   */
  static <K, V> LoadTarget<K, V> of(EntryExpiry<K, V> map, Duration timeToLive) {
    return new OfExpiring<>(map, timeToLive);
  }

  /** A map whose entries expire, in which the last row of a key stays. */
  record OfExpiring<K, V>(EntryExpiry<K, V> map, Duration timeToLive) implements LoadTarget<K, V> {
    @Override
    public boolean put(Tx tx, K key, V value, @Nullable Instant until) {
      boolean isRepeated = map.expiresAt(tx, key) != null;
      if (until == null) {
        map.put(tx, key, value, timeToLive);
      } else {
        map.putUntil(tx, key, value, until);
      }
      return isRepeated;
    }

    @Override
    public long size(Tx tx) {
      return map.storedEntries(tx);
    }

    @Override
    public String repeated() {
      return "had a key that was there already: the last one of each stays";
    }
  }

  /** A map, in which the last row of a key stays. */
  record OfMap<K, V>(KeyedCollection<K, V> map) implements LoadTarget<K, V> {
    @Override
    public boolean put(Tx tx, K key, V value, @Nullable Instant until) {
      boolean isRepeated = map.putIfAbsent(tx, key, value) != null;
      if (isRepeated) {
        map.put(tx, key, value);
      }
      return isRepeated;
    }

    @Override
    public long putAll(Tx tx, List<K> keys, List<V> values) {
      Iterator<V> next = values.iterator();
      Iterable<Map.Entry<K, V>> rows =
          () -> keys.stream().map(key -> Map.entry(key, next.next())).iterator();
      return keys.size() - map.putAll(tx, rows);
    }

    @Override
    public long size(Tx tx) {
      return map.size(tx);
    }

    @Override
    public String repeated() {
      return "had a key that was there already: the last one of each stays";
    }
  }

  /** A multimap, in which all rows stay. */
  record OfMultimap<K, V>(PersistentMultimap<K, V> map) implements LoadTarget<K, V> {
    @Override
    public boolean put(Tx tx, K key, V value, @Nullable Instant until) {
      return !map.put(tx, key, value);
    }

    @Override
    public long size(Tx tx) {
      return map.size(tx);
    }

    @Override
    public String repeated() {
      return "were there already";
    }
  }
}
