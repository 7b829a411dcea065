package io.howdah.txn.words;

import java.util.Arrays;
import java.util.BitSet;

/**
 * What entries of a {@link WriteSet} held at the positions that may be returned to. A value is kept
 * once for each position, however often the entry is changed, and none of an entry that is newer
 * than the last position: a roll-back drops it as a whole. Not thread-safe.
 */
final class FormerValues {

  private static final int FIRST_LENGTH = 64;

  /** An entry's number and its value before, in turn. */
  private long[] kept = new long[FIRST_LENGTH];

  private int length;

  /** How many entries there were at the last position. */
  private int entriesBefore;

  /** Of these, the ones whose value at that position is kept. */
  private final BitSet changed = new BitSet();

  /** Begins a position: what the entries that there are hold now is to be kept. */
  void begin(int entries) {
    changed.clear();
    entriesBefore = entries;
  }

  /** Returns what {@link #rollBack} has to be given to come back to here. */
  int length() {
    return length;
  }

  /** An entry is about to be changed. With an OutOfMemoryError nothing has changed here. */
  void keep(int entry, long value) {
    if (entry >= entriesBefore || changed.get(entry)) {
      return;
    }
    if (length == kept.length) {
      kept = Arrays.copyOf(kept, 2 * length);
    }
    changed.set(entry); // the last call: what may find no memory comes before the stores
    kept[length] = entry;
    kept[length + 1] = value;
    length += 2;
  }

  /**
   * Puts values back, the latest first.
   *
   * @param entries address and value of each entry in turn
   */
  void rollBack(int to, long[] entries) {
    while (length > to) {
      length -= 2;
      entries[2 * (int) kept[length] + 1] = kept[length + 1];
    }
  }
}
