package io.howdah.collections;

import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.stm.Transactions;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PersistentMap} behind the interfaces of {@code java.util}. Thread-safe if its calls are.
 */
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {

  /** Runs an operation in a transaction. */
  interface Calls {

    <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> operation);

    /** Returns calls that are transactions of their own. */
    static Calls each(Transactions transactions) {
      return new Calls() {
        @Override
        public <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> operation) {
          return transactions.call(operation);
        }
      };
    }

    /** Returns calls that are parts of a transaction. */
    static Calls in(Tx tx) {
      return new Calls() {
        @Override
        public <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> operation) {
          return operation.call(tx);
        }
      };
    }
  }

  private final PersistentMap<K, V> map;
  private final Calls calls;

  MapView(PersistentMap<K, V> map, Calls calls) {
    this.map = map;
    this.calls = calls;
  }

  private @Nullable V optional(TxFunction<Optional<V>, RuntimeException> operation) {
    return calls.call(operation).orElse(null);
  }

  @Override
  @SuppressWarnings("unchecked") // a key of another type is refused by the codec's cast
  public @Nullable V get(@Nullable Object key) {
    return optional(tx -> Optional.ofNullable(map.get(tx, (K) Objects.requireNonNull(key))));
  }

  @Override
  @SuppressWarnings("unchecked") // as above
  public boolean containsKey(@Nullable Object key) {
    return calls.call(tx -> map.containsKey(tx, (K) Objects.requireNonNull(key)));
  }

  @Override
  public @Nullable V put(K key, V value) {
    return optional(
        tx -> {
          V old = map.get(tx, key);
          map.put(tx, key, value);
          return Optional.ofNullable(old);
        });
  }

  @Override
  @SuppressWarnings("unchecked") // as above
  public @Nullable V remove(@Nullable Object key) {
    return optional(
        tx -> {
          K known = (K) Objects.requireNonNull(key);
          V old = map.get(tx, known);
          map.remove(tx, known);
          return Optional.ofNullable(old);
        });
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    Objects.requireNonNull(value);
    return optional(tx -> Optional.ofNullable(map.putIfAbsent(tx, key, value)));
  }

  @Override
  @SuppressWarnings("unchecked") // as above
  public boolean remove(@Nullable Object key, @Nullable Object value) {
    return calls.call(
        tx -> {
          K known = (K) Objects.requireNonNull(key);
          return Objects.deepEquals(map.get(tx, known), value) && map.remove(tx, known);
        });
  }

  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    return calls.call(
        tx -> {
          boolean equal = Objects.deepEquals(map.get(tx, key), Objects.requireNonNull(oldValue));
          if (equal) {
            map.put(tx, key, newValue);
          }
          return equal;
        });
  }

  @Override
  public @Nullable V replace(K key, V value) {
    Objects.requireNonNull(value);
    return optional(
        tx -> {
          V old = map.get(tx, key);
          if (old != null) {
            map.put(tx, key, value);
          }
          return Optional.ofNullable(old);
        });
  }

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, calls.call(map::size));
  }

  /** The keys and the values of an {@link AbstractMap} are views of this one. */
  @Override
  public Set<Entry<K, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<K, V>> iterator() {
        return new CopyIterator(calls.call(tx -> map.entries(tx).toList()).iterator());
      }

      @Override
      public int size() {
        return MapView.this.size();
      }

      @Override
      public void clear() {
        MapView.this.clear();
      }
    };
  }

  /** Goes over a copy, and removes from the map. */
  private final class CopyIterator implements Iterator<Entry<K, V>> {
    private final Iterator<Entry<K, V>> copy;
    private @Nullable Entry<K, V> last;

    CopyIterator(Iterator<Entry<K, V>> copy) {
      this.copy = copy;
    }

    @Override
    public boolean hasNext() {
      return copy.hasNext();
    }

    @Override
    public Entry<K, V> next() {
      Entry<K, V> next = copy.next();
      last = next;
      return next;
    }

    @Override
    public void remove() {
      if (last == null) {
        throw new IllegalStateException("there is no entry that next() has returned");
      }
      MapView.this.remove(last.getKey());
      last = null;
    }
  }

  @Override
  public void clear() {
    calls.call(
        tx -> {
          List<K> all = map.keys(tx).toList();
          all.forEach(key -> map.remove(tx, key));
          return all.size();
        });
  }

  /** Two maps with equal entries are equal, as {@link Map} demands. */
  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
