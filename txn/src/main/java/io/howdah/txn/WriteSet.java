package io.howdah.txn;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The words a transaction will write, in the order of their first writes, with an index from
 * addresses. Not thread-safe.
 *
 * <p>The index is an open-addressing table whose slots carry the transaction's number, so clearing
 * it is one increment. A 64-bit filter spares most reads the look-up.
 */
final class WriteSet {

  private static final int FIRST_ENTRIES = 64;
  private static final int KEPT_ENTRIES = 1 << 12;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final int FILTER_SHIFT = Long.SIZE - 6;

  /** Address and value of each word in turn. */
  private long[] entries;

  /** Stamp in the high half, entry number in the low half. */
  private long[] index;

  /** Entries changed since the first savepoint, each with the value before; null without one. */
  private long @Nullable [] undo;

  private int undoLength;

  private int indexShift;
  private int count;
  private long filter;
  private int stamp;

  WriteSet() {
    entries = new long[2 * FIRST_ENTRIES];
    use(new long[2 * FIRST_ENTRIES]);
  }

  int count() {
    return count;
  }

  long address(int entry) {
    return entries[2 * entry];
  }

  long value(int entry) {
    return entries[2 * entry + 1];
  }

  /** Returns whether the address may be in the set; false is certain. */
  boolean mayContain(long address) {
    return (filter & 1L << ((address * MULTIPLIER) >>> FILTER_SHIFT)) != 0;
  }

  /** Returns the entry of an address, or -1. */
  int find(long address) {
    long[] index = this.index;
    int mask = index.length - 1;
    int slot = (int) ((address * MULTIPLIER) >>> indexShift);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      int entry = (int) s;
      if (entries[2 * entry] == address) {
        return entry;
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /** Sets the value of an address, new or known. */
  void put(long address, long value) {
    long hash = address * MULTIPLIER;
    long[] index = this.index;
    int mask = index.length - 1;
    int slot = (int) (hash >>> indexShift);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      int at = 2 * (int) s;
      if (entries[at] == address) {
        if (undo != null) {
          noteFormer((int) s);
        }
        entries[at + 1] = value;
        return;
      }
      slot = (slot + 1) & mask;
    }
    if (2 * count == entries.length) {
      grow(); // before anything changes: it may find no memory, and the body may go on
      slot = freeSlot(hash);
    }
    int at = 2 * count;
    entries[at] = address;
    entries[at + 1] = value;
    this.index[slot] = (long) stamp << 32 | count;
    filter |= 1L << (hash >>> FILTER_SHIFT);
    count++;
  }

  void clear() {
    count = 0;
    filter = 0;
    undo = null;
    undoLength = 0;
    if (++stamp == 0) {
      Arrays.fill(index, 0);
      stamp = 1;
    }
  }

  /** Gives memory back that an unusually large transaction needed. */
  void trim() {
    clear();
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
      use(new long[2 * FIRST_ENTRIES]);
    }
  }

  /** Starts to note what changes, and returns a mark for {@link #rollBack}. */
  long mark() {
    if (undo == null) {
      undo = new long[FIRST_ENTRIES];
    }
    return (long) undoLength << 32 | count;
  }

  private void noteFormer(int entry) {
    long[] undo = Objects.requireNonNull(this.undo, "undo");
    if (undoLength == undo.length) {
      undo = Arrays.copyOf(undo, 2 * undoLength);
      this.undo = undo;
    }
    undo[undoLength] = entry;
    undo[undoLength + 1] = entries[2 * entry + 1];
    undoLength += 2;
  }

  /** Takes back what was put since a mark. */
  void rollBack(long mark) {
    long[] undo = Objects.requireNonNull(this.undo, "undo");
    long[] fresh = new long[index.length];
    for (int to = (int) (mark >>> 32); undoLength > to; ) {
      undoLength -= 2;
      entries[2 * (int) undo[undoLength] + 1] = undo[undoLength + 1];
    }
    count = (int) mark;
    filter = 0;
    use(fresh);
    for (int entry = 0; entry < count; entry++) {
      long hash = entries[2 * entry] * MULTIPLIER;
      filter |= 1L << (hash >>> FILTER_SHIFT);
      index[freeSlot(hash)] = (long) stamp << 32 | entry;
    }
  }

  /** Doubles both tables, or leaves them as they are; the index stays at most half full. */
  private void grow() {
    long[] moreEntries = Arrays.copyOf(entries, 2 * entries.length);
    long[] moreIndex = new long[2 * entries.length];
    entries = moreEntries;
    use(moreIndex);
    for (int entry = 0; entry < count; entry++) {
      index[freeSlot(entries[2 * entry] * MULTIPLIER)] = (long) stamp << 32 | entry;
    }
  }

  private int freeSlot(long hash) {
    int mask = index.length - 1;
    int slot = (int) (hash >>> indexShift);
    while ((int) (index[slot] >>> 32) == stamp) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Takes an index with nothing in it. */
  private void use(long[] empty) {
    index = empty;
    indexShift = Long.SIZE - Integer.numberOfTrailingZeros(empty.length);
    stamp = 1;
  }
}
