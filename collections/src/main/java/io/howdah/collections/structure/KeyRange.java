package io.howdah.collections.structure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A range of the keys of a tree, by their bytes. A bound that is null is none. Immutable. */
public final class KeyRange {

  public static final KeyRange ALL = new KeyRange(null, true, null, true);

  /** The range without keys. */
  public static final KeyRange EMPTY = of(new byte[0], new byte[0]);

  private final byte @Nullable [] from;
  private final boolean fromInclusive;
  private final byte @Nullable [] to;
  private final boolean toInclusive;

  private KeyRange(
      byte @Nullable [] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    this.from = from;
    this.fromInclusive = fromInclusive;
    this.to = to;
    this.toInclusive = toInclusive;
  }

  /** Returns the keys from one on, and before another one. */
  public static KeyRange of(byte[] from, byte @Nullable [] toExclusive) {
    return new KeyRange(from, true, toExclusive, false);
  }

  /** Returns the keys that begin with certain bytes. */
  public static KeyRange withPrefix(byte[] prefix) {
    return prefix.length == 0 ? ALL : of(prefix, behind(prefix));
  }

  /** Returns the lowest bytes that are greater than all which begin so, or null if none are. */
  private static byte @Nullable [] behind(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (prefix[i] != -1) {
        byte[] behind = Arrays.copyOf(prefix, i + 1);
        behind[i]++;
        return behind;
      }
    }
    return null;
  }

  public byte @Nullable [] from() {
    return from;
  }

  public boolean fromInclusive() {
    return fromInclusive;
  }

  public byte @Nullable [] to() {
    return to;
  }

  public boolean toInclusive() {
    return toInclusive;
  }

  /** Returns the keys of this range from {@code key} on, inclusively or exclusively. */
  public KeyRange from(byte[] key, boolean inclusive) {
    int order = from == null ? 1 : Arrays.compareUnsigned(key, from);
    if (order < 0 || (order == 0 && inclusive)) {
      return this;
    }
    return new KeyRange(key, inclusive, to, toInclusive);
  }

  /** Returns the keys of this range up to one, or before it. */
  public KeyRange to(byte[] key, boolean inclusive) {
    int order = to == null ? -1 : Arrays.compareUnsigned(key, to);
    if (order > 0 || (order == 0 && inclusive)) {
      return this;
    }
    return new KeyRange(from, fromInclusive, key, inclusive);
  }

  /** Returns whether no key can lie in it. */
  public boolean isEmpty() {
    if (from == null || to == null) {
      return false;
    }
    int order = Arrays.compareUnsigned(from, to);
    return order > 0 || (order == 0 && !(fromInclusive && toInclusive));
  }

  /** Returns whether it has both ends, and its end lies before its beginning. */
  public boolean isReversed() {
    return from != null && to != null && Arrays.compareUnsigned(from, to) > 0;
  }

  /** Returns whether it is the range of all keys. */
  public boolean isAll() {
    return from == null && to == null;
  }

  /** Returns whether a key lies in it. */
  public boolean contains(byte[] key) {
    return isBetweenBounds(key)
        && (fromInclusive || from == null || !Arrays.equals(key, from))
        && (toInclusive || to == null || !Arrays.equals(key, to));
  }

  /** Returns whether a key lies in it, or is one of its bounds. */
  public boolean isBetweenBounds(byte[] key) {
    return (from == null || Arrays.compareUnsigned(key, from) >= 0)
        && (to == null || Arrays.compareUnsigned(key, to) <= 0);
  }
}
