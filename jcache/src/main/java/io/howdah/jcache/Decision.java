package io.howdah.jcache;

import org.jspecify.annotations.Nullable;

/**
 * What an operation does with an entry, once it has seen its value.
 *
 * @param value of a put; null else
 * @param result of the operation
 * @param isLookUp whether it counts as a hit or a miss
 * @param isWritten whether a put counts as one, and goes to the writer: it does not if it was
 *     loaded
 */
record Decision<V, R>(
    Action action, @Nullable V value, @Nullable R result, boolean isLookUp, boolean isWritten) {

  static <V, R> Decision<V, R> put(V value, @Nullable R result, boolean isLookUp) {
    return new Decision<>(Action.PUT, value, result, isLookUp, true);
  }

  static <V, R> Decision<V, R> remove(@Nullable R result, boolean isLookUp) {
    return new Decision<>(Action.REMOVE, null, result, isLookUp, true);
  }

  static <V, R> Decision<V, R> access(@Nullable R result) {
    return new Decision<>(Action.ACCESS, null, result, true, true);
  }

  static <V, R> Decision<V, R> nothing(@Nullable R result) {
    return new Decision<>(Action.NOTHING, null, result, true, true);
  }
}
