package io.howdah.txn.words;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The undo log of a {@link WriteSet}: values of entries at the positions that a roll-back may
 * return to. For each position, an entry's value is kept at most once, at the entry's first change.
 * Entries newer than the last position need no value, because a roll-back removes them. Not
 * thread-safe.
 */
final class FormerValues {

  private static final int FIRST_LENGTH = 64;

  /** Pairs of an entry's number and its former value. */
  private long[] kept = new long[FIRST_LENGTH];

  private int length;

  /** Number of entries at the last position. */
  private int entriesBefore;

  /** The entries among them whose value at that position is kept. */
  private final BitSet changed = new BitSet();

  /** Begins a position: from now on, the first change of each existing entry keeps its value. */
  void begin(int entries) {
    changed.clear();
    entriesBefore = entries;
  }

  /** Returns the argument with which {@link #rollBack} returns to the present state. */
  int length() {
    return length;
  }

  /** Keeps an entry's value before a change. An OutOfMemoryError leaves this object unchanged. */
  void keep(int entry, long value) {
    if (entry >= entriesBefore || changed.get(entry)) {
      return;
    }
    if (length == kept.length) {
      kept = Arrays.copyOf(kept, 2 * length);
    }
    changed.set(entry); // may throw OutOfMemoryError, so it precedes the stores
    kept[length] = entry;
    kept[length + 1] = value;
    length += 2;
  }

  /**
   * Restores values, the most recently kept first.
   *
   * @param entries pairs of address and value, one for each entry
   */
  void rollBack(int to, long[] entries) {
    while (length > to) {
      length -= 2;
      entries[2 * (int) kept[length] + 1] = kept[length + 1];
    }
  }
}
