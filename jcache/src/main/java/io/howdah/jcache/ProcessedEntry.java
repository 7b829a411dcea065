package io.howdah.jcache;

import java.util.function.Function;
import javax.cache.processor.MutableEntry;
import org.jspecify.annotations.Nullable;

/**
 * An entry as a processor sees and changes it. Its calls together have one effect, that of the
 * {@link #decision}. For one thread.
 */
final class ProcessedEntry<K, V> implements MutableEntry<K, V> {

  private final K key;

  /** The value that the cache has; null if it has none. */
  private final @Nullable V found;

  private final Function<? super K, ? extends @Nullable V> loader;
  private @Nullable V value;
  private Action action = Action.NOTHING;
  private boolean isLoaded;

  /**
   * Creates one.
   *
   * @param loader of a value that is absent; returns null if the cache does not read through
   */
  ProcessedEntry(K key, @Nullable V found, Function<? super K, ? extends @Nullable V> loader) {
    this.key = key;
    this.found = found;
    this.value = found;
    this.loader = loader;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public boolean exists() {
    return value != null;
  }

  @Override
  @SuppressWarnings("NullAway") // JSR 107 has no annotations, and null for no value
  public V getValue() {
    if (value == null && action == Action.NOTHING) {
      value = loader.apply(key);
      if (value != null) {
        action = Action.PUT;
        isLoaded = true;
      }
    } else if (action == Action.NOTHING) {
      action = Action.ACCESS;
    }
    return value;
  }

  @Override
  public void setValue(V newValue) {
    value = Checks.nonNull(newValue, "value");
    action = Action.PUT;
    isLoaded = false;
  }

  @Override
  public void remove() {
    boolean isNew = found == null && action == Action.PUT;
    action = isNew ? Action.NOTHING : Action.REMOVE;
    isLoaded = false;
    value = null;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return Unwrapping.unwrap(type, this);
  }

  /** Returns what is to be done. */
  <R> Decision<V, R> decision(@Nullable R result) {
    return new Decision<>(action, action == Action.PUT ? value : null, result, true, !isLoaded);
  }
}
