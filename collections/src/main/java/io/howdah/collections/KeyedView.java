package io.howdah.collections;

import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.StoredValue;
import io.howdah.collections.views.PartIterator;
import io.howdah.collections.views.ViewCalls;
import io.howdah.collections.views.ViewSpliterator;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A persistent map behind the interfaces of {@code java.util}: what hash maps and sorted maps have
 * in common. Thread-safe if its calls are.
 */
abstract class KeyedView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {

  private final KeyedCollection<K, V> map;

  /** How often {@link #compute} calls its function at most. */
  private static final int MAX_CALLS = 1000;

  private final ViewCalls calls;

  KeyedView(KeyedCollection<K, V> map, ViewCalls calls) {
    this.map = map;
    this.calls = calls;
  }

  /** Returns whether a key lies in the part of the map that this view shows. */
  abstract boolean covers(Tx tx, K key);

  /** Returns the entries that this view shows. */
  abstract Iterator<Entry<K, V>> entries(Tx tx);

  /** Counts the entries that this view shows. */
  abstract long count(Tx tx);

  /** Returns the removal of the entries that this view shows. */
  abstract ViewCalls.Piece clearing();

  final ViewCalls calls() {
    return calls;
  }

  private boolean isSameKey(K key, @Nullable Object other) {
    return map.keyCodec().isSame(key, other);
  }

  private boolean isSameValue(V value, @Nullable Object other) {
    return map.valueCodec().isSame(value, other);
  }

  private @Nullable V find(Tx tx, K key) {
    return covers(tx, key) ? map.get(tx, key) : null;
  }

  private void write(Tx tx, K key, V value) {
    if (!covers(tx, key)) {
      throw new IllegalArgumentException("the key " + key + " is outside of this part of " + map);
    }
    map.put(tx, key, value);
  }

  /** Runs an operation whose result may be null. */
  final <T> @Nullable T optional(TxFunction<Optional<T>, RuntimeException> operation) {
    return calls.call(operation).orElse(null);
  }

  @SuppressWarnings("unchecked") // a key of another type is refused by the codec's cast
  private K key(@Nullable Object key) {
    return (K) Objects.requireNonNull(key);
  }

  @Override
  public @Nullable V get(@Nullable Object key) {
    K known = key(key);
    return optional(tx -> Optional.ofNullable(find(tx, known)));
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    K known = key(key);
    return calls.call(tx -> covers(tx, known) && map.containsKey(tx, known));
  }

  @Override
  public @Nullable V put(K key, V value) {
    Objects.requireNonNull(key);
    Objects.requireNonNull(value);
    return optional(
        tx -> {
          V old = find(tx, key);
          write(tx, key, value);
          return Optional.ofNullable(old);
        });
  }

  @Override
  public @Nullable V remove(@Nullable Object key) {
    K known = key(key);
    return optional(
        tx -> {
          V old = find(tx, known);
          if (old != null) {
            map.remove(tx, known);
          }
          return Optional.ofNullable(old);
        });
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    Objects.requireNonNull(key);
    Objects.requireNonNull(value);
    return optional(
        tx -> {
          V old = find(tx, key);
          if (old == null) {
            write(tx, key, value);
          }
          return Optional.ofNullable(old);
        });
  }

  @Override
  public boolean remove(@Nullable Object key, @Nullable Object value) {
    K known = key(key);
    return calls.call(
        tx -> {
          V old = find(tx, known);
          return old != null && isSameValue(old, value) && map.remove(tx, known);
        });
  }

  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    Objects.requireNonNull(key);
    Objects.requireNonNull(oldValue);
    Objects.requireNonNull(newValue);
    return calls.call(
        tx -> {
          V old = find(tx, key);
          boolean isSame = old != null && isSameValue(old, oldValue);
          if (isSame) {
            map.put(tx, key, newValue);
          }
          return isSame;
        });
  }

  @Override
  public @Nullable V replace(K key, V value) {
    Objects.requireNonNull(key);
    Objects.requireNonNull(value);
    return optional(
        tx -> {
          V old = find(tx, key);
          if (old != null) {
            map.put(tx, key, value);
          }
          return Optional.ofNullable(old);
        });
  }

  // ---- Functions. They run outside of transactions, as java.util lets them, so they may use the
  // store. Bytes tell whether the value that a function was given is still there.

  /**
   * {@inheritDoc}
   *
   * <p>The function is called again if the value has changed meanwhile, {@value #MAX_CALLS} times
   * at most.
   *
   * @throws IllegalStateException if the value has changed each time, as it does if the function
   *     itself changes it
   */
  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(key);
    Objects.requireNonNull(function);
    for (int call = 0; call < MAX_CALLS; call++) {
      StoredValue<V> old = optional(tx -> Optional.ofNullable(findStored(tx, key)));
      V next = function.apply(key, old == null ? null : old.value());
      if (exchange(key, old, next)) {
        return next;
      }
    }
    throw new IllegalStateException(
        "recursive update: the value of the key has changed during each of "
            + MAX_CALLS
            + " calls of the function; it must not change that value itself");
  }

  private @Nullable StoredValue<V> findStored(Tx tx, K key) {
    return covers(tx, key) ? map.stored(tx, key) : null;
  }

  /** Gives a key another value, or none, if it has the one that was found. */
  private boolean exchange(K key, @Nullable StoredValue<V> found, @Nullable V next) {
    return calls.call(
        tx -> {
          boolean isSame = StoredValue.isSame(found, findStored(tx, key));
          if (isSame && next != null) {
            write(tx, key, next);
          } else if (isSame && found != null) {
            map.remove(tx, key);
          }
          return isSame;
        });
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function);
    return compute(key, (k, old) -> old == null ? null : function.apply(k, old));
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(value);
    Objects.requireNonNull(function);
    return compute(key, (_, old) -> old == null ? value : function.apply(old, value));
  }

  @Override
  public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    Objects.requireNonNull(function);
    for (K each : keySet()) {
      computeIfPresent(each, (key, old) -> Objects.requireNonNull(function.apply(key, old)));
    }
  }

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, calls.read(this::count));
  }

  @Override
  public void clear() {
    calls.changeInPieces(clearing());
  }

  @Override
  public boolean containsValue(@Nullable Object value) {
    return values().contains(value);
  }

  @Override
  public Collection<V> values() {
    return new Values();
  }

  /**
   * Removes each of some elements from a view, and returns whether one was there. The set of the
   * JDK asks the other collection if that is the larger one, and so {@code equals} in place of the
   * codec.
   */
  static boolean removeEach(Collection<?> view, Collection<?> elements) {
    boolean isChanged = false;
    for (Object each : elements) {
      isChanged |= view.remove(each);
    }
    return isChanged;
  }

  /** Returns a condition: whether a collection has a key. */
  final Predicate<K> isKeyIn(Collection<?> keys) {
    return map.keyCodec().in(Objects.requireNonNull(keys));
  }

  private final class Values extends AbstractCollection<V> {

    @Override
    public Iterator<V> iterator() {
      return new PartIterator<>(new EntryIterator(), Entry::getValue);
    }

    @Override
    public Spliterator<V> spliterator() {
      return ViewSpliterator.of(iterator(), 0);
    }

    @Override
    public boolean contains(@Nullable Object value) {
      for (V each : this) {
        if (isSameValue(each, value)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public boolean remove(@Nullable Object value) {
      for (Iterator<V> all = iterator(); all.hasNext(); ) {
        if (isSameValue(all.next(), value)) {
          all.remove();
          return true;
        }
      }
      return false;
    }

    @Override
    public boolean removeAll(Collection<?> removed) {
      return removeIf(map.valueCodec().in(Objects.requireNonNull(removed)));
    }

    @Override
    public boolean retainAll(Collection<?> retained) {
      return removeIf(map.valueCodec().in(Objects.requireNonNull(retained)).negate());
    }

    @Override
    public int size() {
      return KeyedView.this.size();
    }

    @Override
    public boolean isEmpty() {
      return KeyedView.this.isEmpty();
    }

    @Override
    public void clear() {
      KeyedView.this.clear();
    }
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new Entries();
  }

  private final class Entries extends AbstractSet<Entry<K, V>> {

    @Override
    public Iterator<Entry<K, V>> iterator() {
      return new EntryIterator();
    }

    @Override
    public Spliterator<Entry<K, V>> spliterator() {
      return ViewSpliterator.of(iterator(), Spliterator.DISTINCT);
    }

    @Override
    public int size() {
      return KeyedView.this.size();
    }

    @Override
    public boolean isEmpty() {
      return KeyedView.this.isEmpty();
    }

    @Override
    public boolean contains(@Nullable Object entry) {
      if (!(entry instanceof Entry<?, ?> other)) {
        return false;
      }
      V value = get(other.getKey());
      return value != null && isSameValue(value, other.getValue());
    }

    @Override
    public boolean removeAll(Collection<?> removed) {
      return removeEach(this, removed);
    }

    @Override
    public boolean retainAll(Collection<?> retained) {
      Set<Object> keys = new HashSet<>();
      for (Object each : retained) {
        if (each instanceof Entry<?, ?> entry && contains(entry)) {
          keys.add(entry.getKey());
        }
      }
      Predicate<K> isRetained = isKeyIn(keys);
      return removeIf(entry -> !isRetained.test(entry.getKey()));
    }

    @Override
    public boolean remove(@Nullable Object entry) {
      return entry instanceof Entry<?, ?> other
          && KeyedView.this.remove(other.getKey(), other.getValue());
    }

    @Override
    public void clear() {
      KeyedView.this.clear();
    }
  }

  /** Removes from the map what it has shown. */
  private final class EntryIterator implements Iterator<Entry<K, V>> {
    private final Iterator<Entry<K, V>> all = calls.iterate(KeyedView.this::entries);
    private @Nullable K last;

    @Override
    public boolean hasNext() {
      return all.hasNext();
    }

    @Override
    public Entry<K, V> next() {
      Entry<K, V> next = all.next();
      last = next.getKey();
      return new ShownEntry(next.getKey(), next.getValue());
    }

    @Override
    public void remove() {
      if (last == null) {
        throw new IllegalStateException("there is no entry that next() has returned");
      }
      KeyedView.this.remove(last);
      last = null;
    }
  }

  /** An entry as it was when it was shown. Setting its value changes the map. Not thread-safe. */
  private final class ShownEntry implements Entry<K, V> {
    private final K key;
    private V value;

    ShownEntry(K key, V value) {
      this.key = key;
      this.value = value;
    }

    @Override
    public K getKey() {
      return key;
    }

    @Override
    public V getValue() {
      return value;
    }

    /** Changes nothing if the key has gone meanwhile. */
    @Override
    public V setValue(V next) {
      replace(key, next);
      V shown = value;
      value = next;
      return shown;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Entry<?, ?> entry
          && isSameKey(key, entry.getKey())
          && isSameValue(value, entry.getValue());
    }

    @Override
    public int hashCode() {
      return EntryCodec.hash(key) ^ EntryCodec.hash(value);
    }

    @Override
    public String toString() {
      return key + "=" + value;
    }
  }

  /** Two maps with equal entries are equal, as {@link Map} demands. */
  @Override
  public final boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof Map<?, ?> one) || one.size() != size()) {
      return false;
    }
    try {
      for (Entry<K, V> entry : entrySet()) {
        if (!isSameValue(entry.getValue(), one.get(entry.getKey()))) {
          return false;
        }
      }
      return true;
    } catch (ClassCastException | NullPointerException e) { // of a map of other keys
      return false;
    }
  }

  @Override
  public final int hashCode() {
    return super.hashCode();
  }
}
