package io.howdah.collections.structure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value, and the bytes that a map has for it. They tell whether the map still has it: the class
 * of the value may have no {@code equals} that does.
 */
public final class StoredValue<V> {

  private final byte[] bytes;
  private final V value;

  /** Takes both; the bytes are not copied. */
  public StoredValue(byte[] bytes, V value) {
    this.bytes = bytes;
    this.value = value;
  }

  /** Returns the value. */
  public V value() {
    return value;
  }

  /** Returns whether two have the same bytes; nothing is the same as nothing. */
  public static boolean isSame(@Nullable StoredValue<?> one, @Nullable StoredValue<?> other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    return Arrays.equals(one.bytes, other.bytes);
  }
}
