package io.howdah.txn;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Properties that do not persist, by the addresses of their objects. It is empty when a store is
 * opened, so they begin anew without anyone resetting them. Thread-safe.
 */
final class VolatileFields {

  private final int count;
  private final ConcurrentHashMap<Long, AtomicReferenceArray<@Nullable Object>> fields =
      new ConcurrentHashMap<>();

  VolatileFields(int count) {
    this.count = count;
  }

  @Nullable Object get(long address, int index) {
    AtomicReferenceArray<@Nullable Object> of = fields.get(address);
    return of == null ? null : of.get(index);
  }

  void set(long address, int index, @Nullable Object value) {
    fields.computeIfAbsent(address, _ -> new AtomicReferenceArray<>(count)).set(index, value);
  }

  /** A new object begins here, or one has gone. */
  void clear(long address) {
    if (count != 0) {
      fields.remove(address);
    }
  }
}
