package io.howdah.txn;

import io.howdah.txn.codec.Codec;
import io.howdah.txn.codec.Encoder;
import io.howdah.txn.codec.OrderedCodec;
import java.util.Iterator;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent map whose keys are in order, from {@link Store#sortedMap}: a B+-tree. The order is
 * that of the keys' codec.
 *
 * <p>An operation takes time in the order of the logarithm of the number of entries. Two
 * transactions that change entries far apart rarely conflict. Limits are those of {@link
 * PersistentMap}.
 *
 * <p>Iterators may go on while their transaction changes the map: they continue from the key they
 * are at.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class PersistentSortedMap<K, V> extends PersistentCollection {

  static final String KIND = "sorted map";

  private final OrderedCodec<K> keys;
  private final Codec<V> values;
  private final Tree tree;

  PersistentSortedMap(Store store, Catalogue.Found found, OrderedCodec<K> keys, Codec<V> values) {
    super(store, found);
    this.keys = keys;
    this.values = values;
    this.tree = new Tree(found.address(), isFixed(keys), values.fixedLength());
  }

  static boolean isFixed(Codec<?> keys) {
    return keys.fixedLength() == Long.BYTES;
  }

  static String type(Codec<?> keys, Codec<?> values) {
    return KIND + " of " + keys.name() + " to " + values.name();
  }

  private int begin(TxContext context, K key) {
    encode(context, keys, key, Tree.beginKey(context), "key", MAX_KEY_BYTES);
    return Tree.endKey(context);
  }

  /** Returns the value of a key, or null. */
  public @Nullable V get(Tx tx, K key) {
    TxContext context = context(tx);
    var value = tree.get(context, begin(context, key));
    return value == null ? null : values.decode(value);
  }

  /** Returns whether a key has a value. */
  public boolean containsKey(Tx tx, K key) {
    TxContext context = context(tx);
    return tree.get(context, begin(context, key)) != null;
  }

  /** Gives a key a value, in place of any other. */
  public void put(Tx tx, K key, V value) {
    TxContext context = context(tx);
    int keyLength = begin(context, key);
    Encoder image = Tree.beginValue(context);
    requireRepeatable(context, keys, key, image, TreeLayout.KEY_OFFSET, keyLength);
    encode(context, values, value, image, "value", MAX_VALUE_BYTES);
    tree.put(context, keyLength);
  }

  /**
   * Removes a key.
   *
   * @return whether it was there
   */
  public boolean remove(Tx tx, K key) {
    TxContext context = context(tx);
    return tree.remove(context, begin(context, key));
  }

  /**
   * Gives a key a value that depends on the one it has.
   *
   * @param function from the key, and its value or null, to its new value; null removes it
   * @return the new value
   */
  public @Nullable V compute(
      Tx tx, K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    V old = get(tx, key);
    V value = function.apply(key, old);
    if (value != null) {
      put(tx, key, value);
    } else if (old != null) {
      remove(tx, key);
    }
    return value;
  }

  /**
   * Gives a key a value if it has none, and else what a function makes of both.
   *
   * @return the new value, null if the function removed it
   */
  public @Nullable V merge(
      Tx tx, K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return compute(tx, key, (_, old) -> old == null ? value : function.apply(old, value));
  }

  /** Counts the entries, in constant time. */
  public long size(Tx tx) {
    return tree.size(context(tx));
  }

  /** Returns the entry with the least key, or null. */
  public Map.@Nullable Entry<K, V> first(Tx tx) {
    return one(entries(tx).iterator());
  }

  /** Returns the entry with the greatest key, or null. */
  public Map.@Nullable Entry<K, V> last(Tx tx) {
    return one(descending(tx).iterator());
  }

  /** Returns the entry with the greatest key that is not greater than a key, or null. */
  public Map.@Nullable Entry<K, V> floor(Tx tx, K key) {
    return one(new Descending(tx, key, true));
  }

  /** Returns the entry with the least key that is not less than a key, or null. */
  public Map.@Nullable Entry<K, V> ceiling(Tx tx, K key) {
    return one(new Ascending(tx, key, true));
  }

  /** Returns the entry with the greatest key that is less than a key, or null. */
  public Map.@Nullable Entry<K, V> lower(Tx tx, K key) {
    return one(new Descending(tx, key, false));
  }

  /** Returns the entry with the least key that is greater than a key, or null. */
  public Map.@Nullable Entry<K, V> higher(Tx tx, K key) {
    return one(new Ascending(tx, key, false));
  }

  private static <T> @Nullable T one(Iterator<T> iterator) {
    return iterator.hasNext() ? iterator.next() : null;
  }

  /** Returns all entries, the least key first. */
  public Stream<Map.Entry<K, V>> entries(Tx tx) {
    return new Ascending(tx, null, true).stream();
  }

  /** Returns the entries from a key on, the least key first. */
  public Stream<Map.Entry<K, V>> entriesFrom(Tx tx, K from) {
    return new Ascending(tx, from, true).stream();
  }

  /** Returns all entries, the greatest key first. */
  public Stream<Map.Entry<K, V>> descending(Tx tx) {
    return new Descending(tx, null, true).stream();
  }

  /** Returns the entries from a key on, the greatest key first. */
  public Stream<Map.Entry<K, V>> descendingFrom(Tx tx, K from) {
    return new Descending(tx, from, true).stream();
  }

  /** Returns all values, the least key first. */
  public Stream<V> values(Tx tx) {
    return entries(tx).map(Map.Entry::getValue);
  }

  /** Returns all keys, the least first. */
  public Stream<K> keys(Tx tx) {
    return entries(tx).map(Map.Entry::getKey);
  }

  /**
   * Calls a function with the entries from a key on, the least first, until it returns false or a
   * key is not less than the end: the fastest way to go through a range.
   *
   * @param from the first key, or null to begin with the least
   * @param to the first key that is no longer wanted, or null for none
   */
  public void scan(
      Tx tx, @Nullable K from, @Nullable K to, BiPredicate<? super K, ? super V> function) {
    TxContext context = context(tx);
    Tree.Cursor end = tree.new Cursor();
    if (to != null) {
      end.seek(context, begin(context, to), false);
    }
    Tree.Cursor cursor = tree.new Cursor();
    if (from == null) {
      cursor.first(context);
    } else {
      cursor.seek(context, begin(context, from), false);
    }
    long changes = context.scratch.changes;
    K key = null;
    while ((to == null || !cursor.isAt(context, end)) && cursor.next(context)) {
      key = keys.decode(cursor.key(context));
      if (!function.test(key, values.decode(cursor.value(context)))) {
        return;
      }
      if (context.scratch.changes != changes) {
        changes = context.scratch.changes;
        cursor.seek(context, begin(context, key), true);
        if (to != null) {
          end.seek(context, begin(context, to), false);
        }
      }
      context(tx); // the function may have ended the transaction
    }
  }

  private abstract class EntryIterator extends TransactionIterator<Map.Entry<K, V>> {
    final Tree.Cursor cursor = tree.new Cursor();
    private final Tx tx;
    private long changes;
    private @Nullable K last;

    EntryIterator(Tx tx) {
      this.tx = tx;
      this.changes = context(tx).scratch.changes;
    }

    abstract boolean step(TxContext context);

    abstract void start(TxContext context);

    abstract void seekBehind(TxContext context, int keyLength);

    @Override
    final Map.@Nullable Entry<K, V> advance() {
      TxContext context = context(tx);
      if (context.scratch.changes != changes) {
        changes = context.scratch.changes;
        if (last != null) {
          seekBehind(context, begin(context, last));
        } else {
          start(context);
        }
      }
      if (!step(context)) {
        return null;
      }
      last = keys.decode(cursor.key(context));
      return Map.entry(last, values.decode(cursor.value(context)));
    }
  }

  private final class Ascending extends EntryIterator {
    private final @Nullable K from;
    private final boolean inclusive;

    Ascending(Tx tx, @Nullable K from, boolean inclusive) {
      super(tx);
      this.from = from;
      this.inclusive = inclusive;
      start(context(tx));
    }

    @Override
    void start(TxContext context) {
      if (from == null) {
        cursor.first(context);
      } else {
        cursor.seek(context, begin(context, from), !inclusive);
      }
    }

    @Override
    boolean step(TxContext context) {
      return cursor.next(context);
    }

    @Override
    void seekBehind(TxContext context, int keyLength) {
      cursor.seek(context, keyLength, true);
    }
  }

  private final class Descending extends EntryIterator {
    private final @Nullable K from;
    private final boolean inclusive;

    Descending(Tx tx, @Nullable K from, boolean inclusive) {
      super(tx);
      this.from = from;
      this.inclusive = inclusive;
      start(context(tx));
    }

    @Override
    void start(TxContext context) {
      if (from == null) {
        cursor.last(context);
      } else {
        cursor.seek(context, begin(context, from), inclusive);
      }
    }

    @Override
    boolean step(TxContext context) {
      return cursor.previous(context);
    }

    @Override
    void seekBehind(TxContext context, int keyLength) {
      cursor.seek(context, keyLength, false);
    }
  }
}
