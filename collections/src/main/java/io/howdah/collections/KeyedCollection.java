package io.howdah.collections;

import io.howdah.collections.changes.Changes;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.MapAccess;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.StoredValue;
import io.howdah.collections.structure.Tree;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.Transactions;
import io.howdah.txn.stm.TxContext;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What maps have in common: values by key. Every call belongs to a transaction, and is undone with
 * it. Thread-safe.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public abstract class KeyedCollection<K, V> extends PersistentCollection {

  /** Where a transaction leaves what it changes, or null. */
  final @Nullable MapJournal journal;

  KeyedCollection(
      Transactions transactions,
      FoundCollection found,
      @Nullable MapJournal journal,
      @Nullable CollectionHome home) {
    super(transactions, found, home);
    this.journal = journal;
  }

  /** Returns the codecs of what the journal holds. */
  abstract ChangeCodec<K, V> changeCodec();

  /**
   * Returns what reads the changes of this map, and calls listeners with them. An entry that
   * expires is a change when it is removed from memory, not when its time has come; a time that is
   * set anew is none.
   *
   * @throws IllegalArgumentException if the map has no {@link ChangeJournal}
   */
  public final Changes<K, V> changes() {
    if (journal == null) {
      throw new IllegalArgumentException(
          this + " has no change journal; pass a ChangeJournal where it is opened");
    }
    return journal.changes(
        new MapAccess() {
          @Override
          public TxContext context(Tx tx) {
            return KeyedCollection.this.context(tx);
          }

          @Override
          public boolean isGone(Throwable thrown) {
            return thrown instanceof CollectionMismatchException;
          }
        },
        changeCodec());
  }

  /** Returns the value of a key, or null. */
  public abstract @Nullable V get(Tx tx, K key);

  /** Returns the value of a key with its bytes, or null. */
  abstract @Nullable StoredValue<V> stored(Tx tx, K key);

  /**
   * Returns what searches an index of this map.
   *
   * @param declaration one that the map was opened with
   */
  public abstract <X> PersistentIndex<X, K, V> index(Index<V, X> declaration);

  /** Returns whether entries expire. */
  boolean expires() {
    return false;
  }

  /**
   * Shows some entries behind the place that an index which is built keeps, and moves this place,
   * in the same transaction.
   *
   * @param entries about how many, at least 1
   * @return whether all entries have been shown
   */
  abstract boolean buildStep(
      Tx tx, Tree index, int entries, BiConsumer<? super K, ? super V> function);

  /** Returns whether a key has a value. */
  public abstract boolean containsKey(Tx tx, K key);

  /** Gives a key a value, in place of any other. */
  public abstract void put(Tx tx, K key, V value);

  /**
   * Removes a key.
   *
   * @return whether it was there
   */
  public abstract boolean remove(Tx tx, K key);

  /** Counts the entries, in constant time. */
  public abstract long size(Tx tx);

  /** Returns whether there is no entry. */
  public boolean isEmpty(Tx tx) {
    return size(tx) == 0;
  }

  /** Returns the value of a key, or another one if it has none. */
  public final V getOrDefault(Tx tx, K key, V otherwise) {
    V value = get(tx, key);
    return value == null ? otherwise : value;
  }

  /**
   * Gives a key a value if it has none.
   *
   * @return the value it had, or null
   */
  public final @Nullable V putIfAbsent(Tx tx, K key, V value) {
    V old = get(tx, key);
    if (old == null) {
      put(tx, key, value);
    }
    return old;
  }

  /**
   * Gives a key a value if it has none.
   *
   * @param function from the key to its value; null gives it none
   * @return the value that it has now, or null
   */
  public final @Nullable V computeIfAbsent(
      Tx tx, K key, Function<? super K, ? extends @Nullable V> function) {
    V old = get(tx, key);
    if (old != null) {
      return old;
    }
    V value = function.apply(key);
    if (value != null) {
      put(tx, key, value);
    }
    return value;
  }

  /**
   * Gives a key another value if it has one.
   *
   * @param function from the key and its value to its new value; null removes the key
   * @return the value that it has now, or null
   */
  public final @Nullable V computeIfPresent(
      Tx tx, K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return compute(tx, key, (k, old) -> old == null ? null : function.apply(k, old));
  }

  /**
   * Puts all entries of a map, in this transaction; {@code StoreOptions.maxTransactionBytes} bounds
   * what one may write.
   */
  public final void putAll(Tx tx, Map<? extends K, ? extends V> entries) {
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      put(tx, entry.getKey(), entry.getValue());
    }
  }

  /**
   * Removes all entries, in this transaction, which conflicts with each one that changes the map. A
   * large map is removed faster by {@code StoreAdmin.drop}, or in several transactions.
   */
  public abstract void clear(Tx tx);

  /**
   * Gives a key a value that depends on the one it has.
   *
   * @param function from the key, and its value or null, to its new value; null removes it
   * @return the new value
   */
  public final @Nullable V compute(
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
  public final @Nullable V merge(
      Tx tx, K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return compute(tx, key, (_, old) -> old == null ? value : function.apply(old, value));
  }
}
