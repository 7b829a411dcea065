package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The rows of a write set. A row is a range of consecutive words that were written together, such
 * as a new entry, a value or a long range. No word is in two rows. A row that starts at the end of
 * the last row extends that row, so the entries that a transaction writes into new blocks of one
 * slab form one row.
 *
 * <p>A row has the format of an entry of a redo record: a head with address and count, then the
 * values. The record is therefore a copy of the rows, and a commit iterates over rows instead of
 * words.
 *
 * <p>Up to {@value #SCANNED_ROWS} rows are scanned. More rows have an index by stripe group, an
 * open-addressing table whose slots contain the transaction's number. Not thread-safe.
 */
public final class WrittenRows {

  /** Minimum number of words of a row. */
  public static final int MIN_WORDS = 4;

  /** Maximum number of words in rows, heads included: a redo record has no room for more. */
  private static final int MAX_WORDS = RedoRecordLayout.MAX_LENGTH / Long.BYTES;

  private static final int FIRST_WORDS = 256;
  private static final int KEPT_WORDS = 1 << 13;
  private static final int FIRST_SLOTS = 128;
  private static final int FIRST_GUARDED = 16;
  private static final int SCANNED_ROWS = 6;
  private static final int WORD_SHIFT = 3;
  private static final long NO_ADDRESS = -1;
  private static final int GROUP_SHIFT = Integer.numberOfTrailingZeros(OrecTable.GROUP_BYTES);
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** The rows one after the other: head, values. */
  private long[] words = new long[FIRST_WORDS];

  private int length;
  private int rows;

  /** Start of the last row in {@link #words}; {@link #lastEnd} is the address after its end. */
  private int last;

  private long lastEnd;

  /** Starts of the rows whose stripes the commit does not lock, in ascending order. */
  private int[] guarded = new int[FIRST_GUARDED];

  private int guardedCount;

  /** Stamp in the high half, start of a row in the low half. Empty until it is needed. */
  private long[] index = {};

  private int indexShift;
  private int indexUsed;
  private int stamp = 1;

  /** Whether the index is being rebuilt, or an error has interrupted that. */
  private boolean isIndexing;

  public boolean isEmpty() {
    return length == 0;
  }

  /** Returns the number of written words, without heads. */
  public int count() {
    return length - rows;
  }

  /** Returns the number of rows. */
  int rows() {
    return rows;
  }

  // ---- Iteration: for (int row = 0; row < end(); row = next(row)).

  /** Returns the end of the last row, which is the number of words of all rows with their heads. */
  public int end() {
    return length;
  }

  public int next(int row) {
    return row + 1 + words(row);
  }

  /** Returns the address of the first word of a row. */
  public long address(int row) {
    return RedoRecordLayout.entryAddress(words[row]);
  }

  /** Returns the number of words of a row. */
  int words(int row) {
    return RedoRecordLayout.entryRun(words[row]);
  }

  public long endAddress(int row) {
    return address(row) + ((long) words(row) << WORD_SHIFT);
  }

  /** Returns how many rows are guarded: the commit locks the orec of another word for them. */
  public int guardedRows() {
    return guardedCount;
  }

  /**
   * Returns whether a row is guarded.
   *
   * @param index how many guarded rows come before it
   */
  public boolean isGuarded(int row, int index) {
    return index < guardedCount && guarded[index] == row;
  }

  /** Makes the commit lock the stripes of all rows, also of those that a slot guards. */
  void lockAllStripes() {
    guardedCount = 0;
  }

  /** Writes all words to the region, each atomically, without ordering. */
  void storeTo(Region region) {
    for (int row = 0; row < length; row = next(row)) {
      region.setLongsOpaque(address(row), words, row + 1, words(row));
    }
  }

  /** Returns heads and values of all rows, up to {@link #end}. */
  public long[] array() {
    return words;
  }

  // ---- Search.

  /** Returns the position of an address in {@link #array}, or -1. */
  int find(long address) {
    if (rows > SCANNED_ROWS) {
      return findIndexed(address);
    }
    for (int row = 0; row < length; ) {
      long head = words[row];
      long distance = address - RedoRecordLayout.entryAddress(head);
      int run = RedoRecordLayout.entryRun(head);
      if (distance >= 0 && distance < (long) run << WORD_SHIFT) {
        return row + 1 + (int) (distance >>> WORD_SHIFT);
      }
      row += 1 + run;
    }
    return -1;
  }

  private int findIndexed(long address) {
    long[] index = this.index;
    int mask = index.length - 1;
    int slot = home(address >>> GROUP_SHIFT);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      int row = (int) s;
      long distance = address - address(row);
      if (distance >= 0 && distance < (long) words(row) << WORD_SHIFT) {
        return row + 1 + (int) (distance >>> WORD_SHIFT);
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /** Returns whether a row may contain a word of a range; false is certain. */
  boolean mayOverlap(long from, long end) {
    if (rows > SCANNED_ROWS) {
      for (long group = from >>> GROUP_SHIFT; group <= (end - 1) >>> GROUP_SHIFT; group++) {
        if (overlapsIndexed(group, from, end)) {
          return true;
        }
      }
      return false;
    }
    for (int row = 0; row < length; row = next(row)) {
      if (address(row) < end && from < endAddress(row)) {
        return true;
      }
    }
    return false;
  }

  private boolean overlapsIndexed(long group, long from, long end) {
    int mask = index.length - 1;
    int slot = home(group);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      int row = (int) s;
      if (address(row) < end && from < endAddress(row)) {
        return true;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }

  private int home(long group) {
    return (int) ((group * MULTIPLIER) >>> indexShift);
  }

  // ---- Changes.

  /** Returns whether there is room for a row of {@code count} words. */
  boolean hasRoom(int count) {
    return length + 1 + count <= MAX_WORDS;
  }

  /**
   * Reserves room for a row, so that {@link #add} allocates no memory.
   *
   * @throws OutOfMemoryError if there is not enough memory; the words are unchanged
   */
  void reserve(int count) {
    int needed = length + 1 + count;
    if (needed > words.length) {
      words = Arrays.copyOf(words, 2 * Integer.highestOneBit(needed - 1));
    }
    if (guardedCount == guarded.length) {
      guarded = Arrays.copyOf(guarded, 2 * guardedCount);
    }
    // Each stripe group of the row may need a slot, and at SCANNED_ROWS each one of all rows.
    int groups = (int) (((long) count * Long.BYTES) >>> GROUP_SHIFT) + 2;
    if (rows > SCANNED_ROWS) {
      if (2 * (indexUsed + groups) > index.length) {
        replaceIndex(indexUsed + groups);
      }
    } else if (rows == SCANNED_ROWS) {
      int all = (int) (((long) length * Long.BYTES) >>> GROUP_SHIFT) + 2 * rows + groups;
      if (2 * all > index.length) {
        replaceIndex(all);
      }
    }
  }

  /** Adds words that are in no row; {@link #reserve} has reserved room for them. */
  public void add(long address, byte[] source, int offset, int count) {
    add(address, begin(address, count), source, offset, count);
  }

  /** Adds words as a row of their own, which is guarded; otherwise like the method above. */
  void addGuarded(long address, byte[] source, int offset, int count) {
    guarded[guardedCount] = length;
    lastEnd = NO_ADDRESS; // a row of its own
    int at = begin(address, count);
    guardedCount++;
    add(address, at, source, offset, count);
    lastEnd = NO_ADDRESS; // no other words join it
  }

  private void add(long address, int at, byte[] source, int offset, int count) {
    long[] words = this.words;
    for (int i = 0; i < count; i++) {
      words[at + i] = (long) BYTES.get(source, offset + i * Long.BYTES);
    }
    end(address, at, count);
  }

  /** Adds the first {@code count} words of an array; otherwise like the method above. */
  public void add(long address, long[] source, int count) {
    int at = begin(address, count);
    System.arraycopy(source, 0, words, at, count);
    end(address, at, count);
  }

  /** Begins a row or extends the last one; returns the index of the first value. */
  private int begin(long address, int count) {
    int at = length;
    if (address == lastEnd && at != 0 && words(last) + count <= RedoRecordLayout.MAX_RUN) {
      return at;
    }
    words[at] = RedoRecordLayout.entryHead(address, 0);
    last = at;
    return at + 1;
  }

  private void end(long address, int at, int count) {
    boolean isNew = at != length;
    // Only the calls below can fail, so a row is in the set completely or not at all.
    words[last] += count;
    length = at + count;
    lastEnd = address + ((long) count << WORD_SHIFT);
    rows += isNew ? 1 : 0;
    if (rows > SCANNED_ROWS) {
      if (isNew && rows == SCANNED_ROWS + 1) {
        indexAll();
      } else {
        // The stripe group at the former end of an extended row already has a slot.
        long from =
            isNew ? address : (address + OrecTable.GROUP_BYTES - 1) & -OrecTable.GROUP_BYTES;
        addToIndex(last, from, lastEnd);
      }
    }
  }

  private void indexAll() {
    for (int row = 0; row < length; row = next(row)) {
      addToIndex(row, address(row), endAddress(row));
    }
  }

  private void addToIndex(int row, long from, long end) {
    long[] index = this.index;
    int mask = index.length - 1;
    for (long group = from >>> GROUP_SHIFT; group << GROUP_SHIFT < end; group++) {
      int slot = home(group);
      while ((int) (index[slot] >>> 32) == stamp) {
        slot = (slot + 1) & mask;
      }
      index[slot] = (long) stamp << 32 | row;
      indexUsed++;
    }
  }

  /** Replaces the index with one that {@code groups} groups fill at most half. */
  private void replaceIndex(int groups) {
    long[] fresh = new long[Math.max(FIRST_SLOTS, 4 * Integer.highestOneBit(groups))];
    int shift = Long.SIZE - Integer.numberOfTrailingZeros(fresh.length);
    isIndexing = true;
    index = fresh;
    indexShift = shift;
    indexUsed = 0;
    stamp = 1;
    if (rows > SCANNED_ROWS) {
      indexAll();
    }
    isIndexing = false;
  }

  /** Returns whether an error may have left rows that cannot be found. */
  boolean isBroken() {
    return isIndexing;
  }

  /** Replaces the value at a position that {@link #find} has returned. */
  void set(int position, long value) {
    words[position] = value;
  }

  /** Returns the value at a position that {@link #find} has returned. */
  public long value(int position) {
    return words[position];
  }

  void clear() {
    if (rows > SCANNED_ROWS) {
      indexUsed = 0;
      if (++stamp == 0) {
        Arrays.fill(index, 0);
        stamp = 1;
      }
    }
    length = 0;
    rows = 0;
    guardedCount = 0;
    isIndexing = false;
  }

  /** Frees memory that an unusually large transaction needed. */
  void trim() {
    clear();
    if (words.length > KEPT_WORDS) {
      words = new long[FIRST_WORDS];
    }
    if (index.length > KEPT_WORDS) {
      index = new long[0];
    }
    if (guarded.length > KEPT_WORDS) {
      guarded = new int[FIRST_GUARDED];
    }
  }
}
