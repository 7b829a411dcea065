package io.howdah.txn.stm;

/** The orecs a commit has locked, with the words they held before. Not thread-safe. */
final class LockList {

  private static final int FIRST_ENTRIES = 64;
  private static final int KEPT_ENTRIES = 1 << 12;

  /** Number and former word of each orec in turn. */
  private long[] entries = new long[2 * FIRST_ENTRIES];

  private int count;
  private boolean prepared;

  int count() {
    return count;
  }

  long orec(int index) {
    return entries[2 * index];
  }

  /** Returns what the orec held before it was locked. */
  long former(int index) {
    return entries[2 * index + 1];
  }

  /** Makes room for so many locks, so that {@link #prepare} cannot fail. */
  void clear(int capacity) {
    count = 0;
    prepared = false;
    if (entries.length < 2 * capacity) {
      entries = new long[4 * Integer.highestOneBit(capacity - 1)];
    }
  }

  /** Notes an orec about to be locked, without counting it. */
  void prepare(long orec, long former) {
    entries[2 * count] = orec;
    entries[2 * count + 1] = former;
    prepared = true;
  }

  /** Counts the orec prepared: it is locked now. */
  void confirm() {
    count++;
    prepared = false;
  }

  /** Returns whether an orec is prepared, at index {@link #count}, and perhaps locked. */
  boolean isPrepared() {
    return prepared;
  }

  /** Gives memory back that an unusually large transaction needed. */
  void trim() {
    count = 0;
    prepared = false;
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
    }
  }
}
