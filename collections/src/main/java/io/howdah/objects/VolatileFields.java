package io.howdah.objects;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Properties that do not persist, by the references to their objects, which no two objects share.
 * It is empty when a store is opened, so they begin anew without anyone resetting them.
 * Thread-safe.
 */
final class VolatileFields {

  private final int count;
  private final ConcurrentHashMap<Long, AtomicReferenceArray<@Nullable Object>> fields =
      new ConcurrentHashMap<>();

  VolatileFields(int count) {
    this.count = count;
  }

  @Nullable Object get(long reference, int index) {
    AtomicReferenceArray<@Nullable Object> of = fields.get(reference);
    return of == null ? null : of.get(index);
  }

  void set(long reference, int index, @Nullable Object value) {
    fields.computeIfAbsent(reference, _ -> new AtomicReferenceArray<>(count)).set(index, value);
  }

  /** Returns whether the type has such properties. */
  boolean isUsed() {
    return count != 0;
  }

  /** Returns whether an object has any that was set. */
  boolean has(long reference) {
    return count != 0 && fields.containsKey(reference);
  }

  /** The object has gone. */
  void clear(long reference) {
    fields.remove(reference);
  }
}
