package io.howdah.collections.structure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value and its bytes in a map. The bytes show whether the map still has the value, since the
 * class of the value may not define {@code equals}.
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
