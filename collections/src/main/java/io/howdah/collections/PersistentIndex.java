package io.howdah.collections;

import io.howdah.codec.OrderedCodec.Prefix;
import io.howdah.collections.index.MaintainedIndex;
import io.howdah.collections.structure.KeyRange;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the entries of a map by what an {@link Index} has them by, from {@link
 * KeyedCollection#index}. Each transaction that changes the map changes its indexes, so the two
 * agree in every state.
 *
 * <p>Entries come in the order of the index's keys, and those of one key in the order of the bytes
 * of their keys in the map. Streams behave as those of {@link PersistentSortedMap}: they may go on
 * while their transaction changes the map. Looking up an entry takes time in the order of the
 * logarithm of the index's size. Thread-safe.
 *
 * @param <X> the keys of the index
 * @param <K> the keys of the map
 * @param <V> the values of the map
 */
public final class PersistentIndex<X, K, V> {

  private final KeyedCollection<K, V> map;
  private final MaintainedIndex<V, X, K> index;

  PersistentIndex(KeyedCollection<K, V> map, MaintainedIndex<V, X, K> index) {
    this.map = map;
    this.index = index;
  }

  /** Returns the index's name, as the program has declared it. */
  public String name() {
    return index.declared().name();
  }

  /**
   * Counts the entries that are in the index, in constant time; if entries of the map expire, it
   * goes through all.
   */
  public long size(Tx tx) {
    return map.expires() ? entries(tx).count() : index.tree().size(map.words(tx));
  }

  /** Returns the first entry that has a key in the index: of a unique one, the only; or null. */
  public Map.@Nullable Entry<K, V> first(Tx tx, X key) {
    EntryIterator found = equal(tx, key, null);
    return found.hasNext() ? found.next() : null;
  }

  /** Returns the value of the first entry that has a key in the index, or null. */
  public @Nullable V get(Tx tx, X key) {
    Map.Entry<K, V> first = first(tx, key);
    return first == null ? null : first.getValue();
  }

  /** Returns all entries of the index. */
  public Stream<Map.Entry<K, V>> entries(Tx tx) {
    return new EntryIterator(tx, KeyRange.ALL, true).stream();
  }

  /** Returns the entries that have a key in the index. */
  public Stream<Map.Entry<K, V>> entries(Tx tx, X key) {
    return equal(tx, key, null).stream();
  }

  /**
   * Returns the entries whose keys in the index lie in a range.
   *
   * @param from inclusive
   * @param to exclusive; if it is not greater than {@code from}, there are none
   */
  public Stream<Map.Entry<K, V>> range(Tx tx, X from, X to) {
    return new EntryIterator(tx, KeyRange.of(prefix(tx, from), prefix(tx, to)), true).stream();
  }

  /**
   * Returns the entries whose keys in the index lie in a range, in the order of the range.
   *
   * @param range {@link Range#behind} leaves out all entries of the key behind which it begins
   * @throws io.howdah.codec.CodecException if the range has a prefix and the keys have no such
   *     parts
   */
  public Stream<Map.Entry<K, V>> range(Tx tx, Range<X> range) {
    return new EntryIterator(tx, keyRange(tx, range), range.isAscending()).stream();
  }

  private KeyRange keyRange(Tx tx, Range<X> range) {
    List<@Nullable Object> prefix = range.prefixParts();
    KeyRange bytes = prefix == null ? KeyRange.ALL : withPrefixOf(tx, prefix.toArray());
    X lower = range.lower();
    if (lower != null) {
      bytes = bytes.from(prefix(tx, lower), true);
    }
    X upper = range.upper();
    if (upper != null) {
      bytes = range.isUpperInclusive() ? upTo(tx, bytes, upper) : before(tx, bytes, upper);
    }
    X last = range.last();
    if (last == null) {
      return bytes;
    }
    return range.isAscending() ? behind(tx, bytes, last) : before(tx, bytes, last);
  }

  /** Returns the part of a range up to the last entry of a key. */
  private KeyRange upTo(Tx tx, KeyRange range, X key) {
    byte[] behind = KeyRange.withPrefix(prefix(tx, key)).to();
    return behind == null ? range : range.to(behind, false);
  }

  /** Returns the part of a range before the first entry of a key. */
  private KeyRange before(Tx tx, KeyRange range, X key) {
    return range.to(prefix(tx, key), false);
  }

  /** Returns the part of a range behind the last entry of a key. */
  private KeyRange behind(Tx tx, KeyRange range, X key) {
    byte[] behind = KeyRange.withPrefix(prefix(tx, key)).to();
    return behind == null ? KeyRange.EMPTY : range.from(behind, true);
  }

  /**
   * Returns a page of a range of the index, in the order of the range.
   *
   * {@snippet :
   * Range<String> range = Range.reversed(Range.prefix("ali"));
   * List<Map.Entry<UUID, Order>> page = byCustomer.page(tx, range, null, 50);
   * List<Map.Entry<UUID, Order>> next = byCustomer.page(tx, range, page.getLast(), 50);
   * }
   *
   * @param after the last entry of the page before, as that page had it, whether it is still there
   *     or not; null for the first page
   * @param entries the maximum, at least 1
   * @throws io.howdah.codec.CodecException if the range has a prefix and the keys have no such
   *     parts
   */
  public List<Map.Entry<K, V>> page(
      Tx tx, Range<X> range, Map.@Nullable Entry<K, V> after, int entries) {
    KeyRange bytes = keyRange(tx, range);
    if (after != null) {
      byte[] position = position(tx, after);
      bytes = range.isAscending() ? bytes.from(position, false) : bytes.to(position, false);
    }
    return page(tx, new EntryIterator(tx, bytes, range.isAscending()), entries);
  }

  private byte[] position(Tx tx, Map.Entry<K, V> entry) {
    X key = index.declared().function().apply(entry.getValue());
    if (key == null) {
      throw map.words(tx)
          .refuse(
              new IllegalArgumentException(
                  "the entry of " + entry.getKey() + " has no key in " + index));
    }
    return index.position(map.words(tx), key, entry.getKey());
  }

  /**
   * Returns the entries whose keys in the index have certain first parts: of records and pairs, the
   * first components; of strings, the beginning.
   *
   * @param parts at least one, in the order of the key's parts; the last may be a {@link Prefix}
   * @throws io.howdah.codec.CodecException if the keys do not have such parts
   */
  public Stream<Map.Entry<K, V>> withPrefix(Tx tx, @Nullable Object... parts) {
    return new EntryIterator(tx, withPrefixOf(tx, parts), true).stream();
  }

  /** Does the same as {@link #withPrefix}, in the opposite order. */
  public Stream<Map.Entry<K, V>> descendingWithPrefix(Tx tx, @Nullable Object... parts) {
    return new EntryIterator(tx, withPrefixOf(tx, parts), false).stream();
  }

  private KeyRange withPrefixOf(Tx tx, @Nullable Object... parts) {
    return KeyRange.withPrefix(index.prefix(map.words(tx), Prefix.of(parts)));
  }

  /** Returns all entries of the index in the opposite order. */
  public Stream<Map.Entry<K, V>> descending(Tx tx) {
    return new EntryIterator(tx, KeyRange.ALL, false).stream();
  }

  /** Returns the entries from those of a key in the index on, in the opposite order. */
  public Stream<Map.Entry<K, V>> descendingFrom(Tx tx, X from) {
    return new EntryIterator(tx, before(tx, from, null), false).stream();
  }

  /**
   * Returns a page of the entries that have a key in the index.
   *
   * @param after the key in the map of the last entry of the page before, whether it is still there
   *     or not; null for the first page
   * @param entries the maximum, at least 1
   */
  public List<Map.Entry<K, V>> page(Tx tx, X key, @Nullable K after, int entries) {
    return page(tx, equal(tx, key, after), entries);
  }

  /**
   * Returns a page of the index, from a key of the index on; it may show entries of later keys.
   *
   * @param from the key in the index where the page begins: that of the last entry of the page
   *     before
   * @param after the key in the map of the last entry of the page before, whether it is still there
   *     or not; null begins with the first entry of {@code from}
   * @param entries the maximum, at least 1
   */
  public List<Map.Entry<K, V>> pageFrom(Tx tx, X from, @Nullable K after, int entries) {
    return page(tx, new EntryIterator(tx, after(tx, KeyRange.ALL, from, after), true), entries);
  }

  /**
   * Returns a page of the index in the opposite order, from a key of the index on.
   *
   * @param from the key in the index where the page begins: that of the last entry of the page
   *     before; null for the first page, which begins with the last entry of the index
   * @param after the key in the map of the last entry of the page before, whether it is still there
   *     or not; null begins with the last entry of {@code from}
   * @param entries the maximum, at least 1
   */
  public List<Map.Entry<K, V>> descendingPage(
      Tx tx, @Nullable X from, @Nullable K after, int entries) {
    KeyRange range = from == null ? KeyRange.ALL : before(tx, from, after);
    return page(tx, new EntryIterator(tx, range, false), entries);
  }

  /** Returns the part of the index before an entry, or up to the last entry of a key. */
  private KeyRange before(Tx tx, X key, @Nullable K before) {
    if (before != null) {
      return KeyRange.ALL.to(index.position(map.words(tx), key, before), false);
    }
    byte[] behind = KeyRange.withPrefix(prefix(tx, key)).to();
    return behind == null ? KeyRange.ALL : KeyRange.ALL.to(behind, false);
  }

  private List<Map.Entry<K, V>> page(Tx tx, EntryIterator iterator, int entries) {
    if (entries < 1) {
      throw map.words(tx)
          .refuse(
              new IllegalArgumentException(
                  "a page of " + index + " has at least 1 entry, not " + entries));
    }
    return iterator.stream().limit(entries).toList();
  }

  private EntryIterator equal(Tx tx, X key, @Nullable K after) {
    KeyRange range = KeyRange.withPrefix(prefix(tx, key));
    return new EntryIterator(tx, after == null ? range : after(tx, range, key, after), true);
  }

  /** Returns the part of a range behind an entry, or from the first entry of a key on. */
  private KeyRange after(Tx tx, KeyRange range, X key, @Nullable K after) {
    return after == null
        ? range.from(prefix(tx, key), true)
        : range.from(index.position(map.words(tx), key, after), false);
  }

  private byte[] prefix(Tx tx, X key) {
    map.requireKey(tx, key);
    return index.prefix(map.words(tx), key);
  }

  /** Returns the name of the map, and of the index. */
  @Override
  public String toString() {
    return index.toString();
  }

  private final class EntryIterator extends TreeRangeIterator<Map.Entry<K, V>> {

    EntryIterator(Tx tx, KeyRange range, boolean ascending) {
      super(map, tx, index.tree(), range, ascending);
    }

    @Override
    Map.@Nullable Entry<K, V> element(Words words, TreeCursor cursor) {
      K key = index.mapKey(words, cursor);
      V value = map.get(tx, key);
      if (value == null && map.expires()) {
        return null;
      }
      if (value == null) {
        throw words.inconsistentRead(index.found().address(), index.toString());
      }
      return new SimpleImmutableEntry<>(key, value);
    }
  }
}
