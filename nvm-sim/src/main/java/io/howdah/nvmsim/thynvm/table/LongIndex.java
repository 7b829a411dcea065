package io.howdah.nvmsim.thynvm.table;

import java.util.Arrays;

/** From non-negative long keys to non-negative ints, by open addressing. Of fixed capacity. */
public final class LongIndex {
  /** The value of a key that is not there. */
  public static final int NOT_FOUND = -1;

  private static final long EMPTY = -1;
  private static final long SCATTER = 0x9E37_79B9_7F4A_7C15L;

  private final long[] keys;
  private final int[] values;
  private final int mask;
  private final int shift;

  public LongIndex(int capacity) {
    int length = Integer.highestOneBit(Math.max(4, capacity) * 4 - 1);
    keys = new long[length];
    Arrays.fill(keys, EMPTY);
    values = new int[length];
    mask = length - 1;
    shift = Long.numberOfLeadingZeros(length) + 1;
  }

  private int home(long key) {
    return (int) ((key * SCATTER) >>> shift) & mask;
  }

  /** Returns the key's value, or {@link #NOT_FOUND}. */
  public int get(long key) {
    int at = home(key);
    while (keys[at] != EMPTY) {
      if (keys[at] == key) {
        return values[at];
      }
      at = (at + 1) & mask;
    }
    return NOT_FOUND;
  }

  public void clear() {
    Arrays.fill(keys, EMPTY);
  }

  /** Adds a key that is not there. */
  public void put(long key, int value) {
    int at = home(key);
    while (keys[at] != EMPTY) {
      at = (at + 1) & mask;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Removes a key that is there; later keys of its run move up. */
  public void remove(long key) {
    int at = home(key);
    while (keys[at] != key) {
      at = (at + 1) & mask;
    }
    int next = (at + 1) & mask;
    while (keys[next] != EMPTY) {
      int wanted = home(keys[next]);
      if (((next - wanted) & mask) >= ((next - at) & mask)) {
        keys[at] = keys[next];
        values[at] = values[next];
        at = next;
      }
      next = (next + 1) & mask;
    }
    keys[at] = EMPTY;
  }
}
