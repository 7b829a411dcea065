package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.OrderedCodec.Prefix;
import io.howdah.codec.Pair;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent map from keys to many values each, from {@code Store.multimap}. Keys are in order,
 * and the values of a key are in order; a key has a value at most once. Both orders are those of
 * the codecs.
 *
 * <p>It is a B+-tree of pairs, so an operation takes time in the order of the logarithm of the
 * number of pairs, and a key may have any number of values. A pair has up to {@value
 * PersistentCollection#MAX_KEY_BYTES} bytes. Streams behave as those of {@link
 * PersistentSortedMap}.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class PersistentMultimap<K, V> extends PersistentCollection {

  static final String KIND = "multimap";

  /** What the tree has for each pair. */
  static final Codec<Boolean> PRESENT = Codec.bool();

  private final PersistentSortedMap<Pair<K, V>, Boolean> pairs;

  PersistentMultimap(
      Transactions transactions,
      FoundCollection found,
      OrderedCodec<Pair<K, V>> pairs,
      @Nullable MapJournal journal) {
    super(transactions, found);
    this.pairs =
        new PersistentSortedMap<>(
            transactions, found, pairs, PRESENT, EntryChanges.of(null, journal), null, null);
  }

  static String type(Codec<?> keys, Codec<?> values) {
    return KIND + " of " + keys.name() + " to " + values.name();
  }

  static <K, V> OrderedCodec<Pair<K, V>> codec(OrderedCodec<K> keys, OrderedCodec<V> values) {
    return Codecs.pair(keys, values);
  }

  private Pair<K, V> pair(Tx tx, K key, V value) {
    requireKey(tx, key);
    requireKey(tx, value);
    return new Pair<>(key, value);
  }

  /**
   * Gives a key one more value.
   *
   * @return whether it did not have that value
   */
  public boolean put(Tx tx, K key, V value) {
    Pair<K, V> pair = pair(tx, key, value);
    boolean isNew = !pairs.containsKey(tx, pair);
    if (isNew) {
      pairs.put(tx, pair, true);
    }
    return isNew;
  }

  /**
   * Takes a value from a key.
   *
   * @return whether the key had it
   */
  public boolean remove(Tx tx, K key, V value) {
    return pairs.remove(tx, pair(tx, key, value));
  }

  /**
   * Takes all values from a key, in this transaction.
   *
   * @return how many it had
   */
  public long removeAll(Tx tx, K key) {
    requireKey(tx, key);
    return pairs.removeWithPrefix(tx, key);
  }

  /** Returns whether a key has a value. */
  public boolean contains(Tx tx, K key, V value) {
    return pairs.containsKey(tx, pair(tx, key, value));
  }

  /** Returns whether a key has any value. */
  public boolean containsKey(Tx tx, K key) {
    return ofKey(tx, key, null).iterator().hasNext();
  }

  /** Returns the values of a key, the lowest first. */
  public Stream<V> values(Tx tx, K key) {
    return ofKey(tx, key, null).map(entry -> entry.getKey().second());
  }

  /**
   * Returns the next values of a key.
   *
   * @param after the last value of the page before, whether the key still has it or not; null for
   *     the first page
   * @param values the maximum, at least 1
   */
  public List<V> page(Tx tx, K key, @Nullable V after, int values) {
    if (values < 1) {
      throw words(tx)
          .refuse(
              new IllegalArgumentException(
                  "a page of " + this + " has at least 1 value, not " + values));
    }
    return ofKey(tx, key, after).limit(values).map(entry -> entry.getKey().second()).toList();
  }

  private Stream<Map.Entry<Pair<K, V>, Boolean>> ofKey(Tx tx, K key, @Nullable V after) {
    requireKey(tx, key);
    return pairs.range(
        tx, Range.behind(after == null ? null : new Pair<>(key, after), Range.prefix(key)));
  }

  /**
   * Returns the pairs whose keys have certain first parts, the lowest key first: of records and
   * pairs, the first components; of strings, the beginning.
   *
   * @param parts at least one, in the order of the key's parts; the last may be a {@link Prefix}
   * @throws io.howdah.codec.CodecException if the keys do not have such parts
   */
  public Stream<Map.Entry<K, V>> withPrefix(Tx tx, @Nullable Object... parts) {
    return pairs
        .range(tx, Range.prefix(Prefix.of(parts)))
        .map(entry -> Map.entry(entry.getKey().first(), entry.getKey().second()));
  }

  /** Returns all pairs of a key and a value, the highest key first. */
  public Stream<Map.Entry<K, V>> descending(Tx tx) {
    return pairs
        .range(tx, Range.reversed(Range.all()))
        .map(entry -> Map.entry(entry.getKey().first(), entry.getKey().second()));
  }

  /** Returns all pairs of a key and a value, the lowest key first. */
  public Stream<Map.Entry<K, V>> entries(Tx tx) {
    return pairs.keys(tx).map(pair -> Map.entry(pair.first(), pair.second()));
  }

  /**
   * Returns what reads the changes of this multimap, and calls listeners with them: a {@code Put}
   * of the pair, with the value true, when a key gets a value, and a {@code Removed}. Giving a key
   * a value that it has is no change.
   *
   * @throws IllegalArgumentException if the multimap has no {@link ChangeJournal}
   */
  public Changes<Pair<K, V>, Boolean> changes() {
    return pairs.changes();
  }

  /** Counts the pairs, in constant time. */
  public long size(Tx tx) {
    return pairs.size(tx);
  }

  /** Returns whether no key has a value. */
  public boolean isEmpty(Tx tx) {
    return size(tx) == 0;
  }

  /** Removes all pairs, in this transaction; see {@link KeyedCollection#clear}. */
  public void clear(Tx tx) {
    pairs.clear(tx);
  }
}
