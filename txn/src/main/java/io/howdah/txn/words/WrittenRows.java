package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The part of a write set that holds words which were written side by side: new entries, values,
 * long ranges. No word is in two rows. A row that continues the last one becomes a part of it, so
 * the entries that a transaction writes into new blocks of one slab are one row.
 *
 * <p>A row has the form of an entry of a redo record: a head with address and count, then the
 * values. So all rows go into the record as they are, and a commit goes through rows instead of
 * words.
 *
 * <p>Up to {@value #SCANNED_ROWS} rows are scanned; more have an index from lines to rows, an
 * open-addressing table whose slots carry the transaction's number. Not thread-safe.
 */
public final class WrittenRows {

  /** Fewest words that are kept as a row. */
  public static final int MIN_WORDS = 4;

  /** Most words that are kept in rows: a redo record has no room for more. */
  private static final int MAX_WORDS = RedoRecordLayout.MAX_LENGTH / Long.BYTES;

  private static final int FIRST_WORDS = 256;
  private static final int KEPT_WORDS = 1 << 13;
  private static final int FIRST_SLOTS = 128;
  private static final int SCANNED_ROWS = 6;
  private static final int WORD_SHIFT = 3;
  private static final int LINE_SHIFT = Integer.numberOfTrailingZeros(OrecTable.LINE_BYTES);
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Each row in turn: head, values. */
  private long[] words = new long[FIRST_WORDS];

  private int length;
  private int rows;

  /** Where the last row begins, and the address behind it. */
  private int last;

  private long lastEnd;

  /** Stamp in the high half, the beginning of a row in the low half; empty until it is needed. */
  private long[] index = {};

  private int indexShift;
  private int indexUsed;
  private int stamp = 1;

  /** Whether the index is being made anew, or an error has broken that off. */
  private boolean isIndexing;

  public boolean isEmpty() {
    return length == 0;
  }

  /** Returns the number of words that are written, without heads. */
  public int count() {
    return length - rows;
  }

  int rows() {
    return rows;
  }

  // ---- Rows in turn: for (int row = 0; row < end(); row = next(row)).

  /** Returns where a row after the last one would begin; so many words a redo record needs. */
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

  // ---- Look-ups.

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
    int slot = home(address >>> LINE_SHIFT);
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

  /** Returns whether a row may have a word of a range; false is certain. */
  boolean mayOverlap(long from, long end) {
    if (rows > SCANNED_ROWS) {
      for (long line = from >>> LINE_SHIFT; line <= (end - 1) >>> LINE_SHIFT; line++) {
        if (overlapsIndexed(line, from, end)) {
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

  private boolean overlapsIndexed(long line, long from, long end) {
    int mask = index.length - 1;
    int slot = home(line);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      int row = (int) s;
      if (address(row) < end && from < endAddress(row)) {
        return true;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }

  private int home(long line) {
    return (int) ((line * MULTIPLIER) >>> indexShift);
  }

  // ---- Changes.

  /** Returns whether so many words more may be kept here. */
  boolean hasRoom(int count) {
    return length + 1 + count <= MAX_WORDS;
  }

  /**
   * Makes room for a row, so that {@link #add} asks for no memory.
   *
   * @throws OutOfMemoryError if there is none; no word has changed or is lost then
   */
  void reserve(int count) {
    int wanted = length + 1 + count;
    if (wanted > words.length) {
      words = Arrays.copyOf(words, 2 * Integer.highestOneBit(wanted - 1));
    }
    // Each line of the row may need a slot, and at SCANNED_ROWS each line of all rows.
    int lines = (int) (((long) count * Long.BYTES) >>> LINE_SHIFT) + 2;
    if (rows > SCANNED_ROWS) {
      if (2 * (indexUsed + lines) > index.length) {
        replaceIndex(indexUsed + lines);
      }
    } else if (rows == SCANNED_ROWS) {
      int all = (int) (((long) length * Long.BYTES) >>> LINE_SHIFT) + 2 * rows + lines;
      if (2 * all > index.length) {
        replaceIndex(all);
      }
    }
  }

  /** Adds words that are not in any row; {@link #reserve} has made room for them. */
  public void add(long address, byte[] source, int offset, int count) {
    int at = begin(address, count);
    long[] words = this.words;
    for (int i = 0; i < count; i++) {
      words[at + i] = (long) BYTES.get(source, offset + i * Long.BYTES);
    }
    end(address, at, count);
  }

  /** Likewise, with the first words of an array. */
  public void add(long address, long[] source, int count) {
    int at = begin(address, count);
    System.arraycopy(source, 0, words, at, count);
    end(address, at, count);
  }

  /** Begins a row, or continues the last one; returns where the values go. */
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
    // An error may come in the calls below only, so a row is in the set as a whole.
    words[last] += count;
    length = at + count;
    lastEnd = address + ((long) count << WORD_SHIFT);
    rows += isNew ? 1 : 0;
    if (rows > SCANNED_ROWS) {
      if (isNew && rows == SCANNED_ROWS + 1) {
        indexAll();
      } else {
        // The line in which a continued row has ended has a slot already.
        long from = isNew ? address : (address + OrecTable.LINE_BYTES - 1) & -OrecTable.LINE_BYTES;
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
    for (long line = from >>> LINE_SHIFT; line << LINE_SHIFT < end; line++) {
      int slot = home(line);
      while ((int) (index[slot] >>> 32) == stamp) {
        slot = (slot + 1) & mask;
      }
      index[slot] = (long) stamp << 32 | row;
      indexUsed++;
    }
  }

  /** Replaces the index by one at most half of which so many lines will take. */
  private void replaceIndex(int lines) {
    long[] fresh = new long[Math.max(FIRST_SLOTS, 4 * Integer.highestOneBit(lines))];
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

  /** Returns whether an error may have left rows that are not found. */
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
    isIndexing = false;
  }

  /** Gives memory back that an unusually large transaction needed. */
  void trim() {
    clear();
    if (words.length > KEPT_WORDS) {
      words = new long[FIRST_WORDS];
    }
    if (index.length > KEPT_WORDS) {
      index = new long[0];
    }
  }
}
