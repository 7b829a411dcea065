package io.howdah.collections.structure;

import io.howdah.txn.ConflictException;
import io.howdah.txn.RetryException;
import io.howdah.txn.words.RunningTx;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Groups of the keys, and optionally values, that a program passes by an iterator. An exception of
 * the iterator is kept until the operations on the keys before it have run, unless it has ended the
 * transaction. Not thread-safe.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class EntryGroup<K, V> {

  private final @Nullable K[] keys;
  private final @Nullable V[] values;
  private final RunningTx tx;

  private int count;
  private @Nullable RuntimeException thrown;

  /** Creates an empty one, for operations of a transaction. */
  public EntryGroup(RunningTx tx) {
    this(tx, KeysAhead.MAX_KEYS);
  }

  /**
   * Creates an empty one, for operations of a transaction.
   *
   * @param capacity maximum number of keys
   */
  @SuppressWarnings("unchecked") // the arrays stay here
  public EntryGroup(RunningTx tx, int capacity) {
    this.tx = tx;
    this.keys = (@Nullable K[]) new Object[capacity];
    this.values = (@Nullable V[]) new Object[capacity];
  }

  /** Returns whether the transaction has ended, so that no operation can run. */
  boolean hasEnded() {
    return !tx.isLive();
  }

  /** Takes the next keys; returns false if there are none. */
  public boolean takeKeys(Iterator<? extends K> all) {
    count = 0;
    try {
      while (count < keys.length && all.hasNext()) {
        keys[count] = all.next();
        count++;
      }
    } catch (RuntimeException e) {
      keep(e);
      return true;
    }
    return count > 0;
  }

  /** Takes the next entries; returns false if there are none. */
  public boolean takeEntries(Iterator<? extends Map.Entry<? extends K, ? extends V>> all) {
    count = 0;
    try {
      while (count < keys.length && all.hasNext()) {
        Map.Entry<? extends K, ? extends V> entry = all.next();
        keys[count] = entry.getKey();
        values[count] = entry.getValue();
        count++;
      }
    } catch (RuntimeException e) {
      keep(e);
      return true;
    }
    return count > 0;
  }

  /** Takes entries from arrays, from an index up to another one at most; returns how many. */
  public int take(@Nullable K[] allKeys, @Nullable V[] allValues, int from, int end) {
    count = Math.min(keys.length, end - from);
    System.arraycopy(allKeys, from, keys, 0, count);
    System.arraycopy(allValues, from, values, 0, count);
    return count;
  }

  private void keep(RuntimeException e) {
    if (e instanceof ConflictException || e instanceof RetryException || hasEnded()) {
      throw e; // the operations would hide it
    }
    thrown = e;
  }

  /**
   * Called when the operations on the keys that were read last have run. Throws the iterator's
   * exception after them, if any.
   */
  public void end() {
    if (thrown != null) {
      throw thrown;
    }
  }

  /** Returns how many keys were taken last. */
  public int count() {
    return count;
  }

  /** Returns a key; it is null if the program gave null. */
  @SuppressWarnings("NullAway") // operations refuse null
  public K key(int index) {
    return keys[index];
  }

  /** Returns the value of a key; it is null if the program gave null. */
  @SuppressWarnings("NullAway") // operations refuse null
  public V value(int index) {
    return values[index];
  }
}
