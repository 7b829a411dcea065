package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.log.commit.RecordSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The words that a transaction will write, in the order of their first writes, with an index by
 * stripe. Not thread-safe.
 *
 * <p>A filter of 64 bits answers most queries; a larger set has a second filter of 4096 bits. The
 * methods after the first filter have more than 35 bytes of bytecode, so HotSpot does not inline
 * them at infrequent calls. Inlined, they would double the length of each read and write, and the
 * processor would overlap fewer cache misses. A set of up to {@value #SCANNED_ENTRIES} entries is
 * scanned. A larger set has an open-addressing table whose slots contain the transaction's number,
 * so one increment clears the table. A slot represents all consecutive entries of one stripe, since
 * most words are written in order of address.
 *
 * <p>Ranges of words that are new to the set are rows in {@link WrittenRows}. All other words are
 * single words, with one entry each. While changes are undoable, the set has no rows.
 */
public final class WriteSet implements RecordSource {

  private static final int FIRST_ENTRIES = 64;
  private static final int KEPT_ENTRIES = 1 << 12;
  private static final int SCANNED_ENTRIES = 16;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final int FILTER_SHIFT = Long.SIZE - 6;
  private static final int FINE_WORDS = 64;
  private static final int GROUP_SHIFT = Integer.numberOfTrailingZeros(OrecTable.GROUP_BYTES);
  private static final int GROUP_BITS =
      Integer.numberOfTrailingZeros(OrecTable.GROUP_BYTES / OrecTable.STRIPE_BYTES);
  private static final int GROUP_MASK = (1 << GROUP_BITS) - 1;
  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Maximum number of words in rows of a set without an index. */
  private static final int SCANNED_ROW_WORDS = 64;

  /** A bit of the number that {@link #find} returns for a word of a row. */
  private static final int IN_ROW = 1 << 30;

  /** Pairs of address and value, one for each single word. */
  private long[] entries;

  private final WrittenRows rows = new WrittenRows();

  /**
   * Maximum {@link #length} at which single words have no index; -1 if they always have one. While
   * there is an index, the fine filter contains the stripes of all words.
   */
  private int scanned = 2 * SCANNED_ENTRIES;

  /** Stamp in the high half, entry number in the low half. */
  private long[] index;

  /** Cache of entries that the index has found, by address. Its numbers need not be valid. */
  private final int[] recent = new int[16];

  /** Filter of the entries in the index. */
  private final long[] fineFilter = new long[FINE_WORDS];

  /** Values of entries at the savepoints; null without savepoints. */
  private @Nullable FormerValues former;

  private int indexShift;

  /**
   * The shift of the orec table. The filter uses orecs because reads and writes compute them too.
   */
  private final int orecShift;

  /** Number of changes of the tables that have begun and not ended; an error interrupted them. */
  private int unfinished;

  /** Whether rows are being converted to single words, or an error has interrupted that. */
  private boolean isSplitting;

  /** Number of used elements of {@link #entries}: two for each entry. */
  private int length;

  /** Maximum of {@link #length} without rows. */
  private int maxLength = Integer.MAX_VALUE - 1;

  /** Maximum of {@link #length} with the present rows. */
  private int limit = maxLength;

  /** Maximum of {@link #length} up to which {@link #append} adds: within the limit, no index. */
  private int room = 2 * SCANNED_ENTRIES;

  private long filter;
  private int stamp;

  public WriteSet() {
    this(OrecTable.shift(OrecTable.MIN_ORECS));
  }

  /** Creates a set for addresses whose orecs are in a table with this {@link OrecTable#shift()}. */
  WriteSet(int orecShift) {
    this.orecShift = orecShift;
    entries = new long[2 * FIRST_ENTRIES];
    replaceIndex(new long[2 * FIRST_ENTRIES]);
  }

  /** Returns the number of words. */
  public int count() {
    return (length >> 1) + rows.count();
  }

  @Override
  public int singles() {
    return length >> 1;
  }

  @Override
  public int rowCount() {
    return rows.rows();
  }

  @Override
  public long[] rowEntries() {
    return rows.array();
  }

  @Override
  public int rowEntriesEnd() {
    return rows.end();
  }

  /** Returns the words that are in rows. */
  public WrittenRows rows() {
    return rows;
  }

  @Override
  public long address(int entry) {
    return entries[2 * entry];
  }

  /** Returns the value of a single word, or of any word that {@link #find} has found. */
  @Override
  public long value(int entry) {
    return entry < IN_ROW ? entries[2 * entry + 1] : rows.value(entry - IN_ROW);
  }

  /** Writes all words to the region, each atomically, without ordering. */
  public void storeTo(Region region) {
    region.setLongsOpaque(entries, length >> 1);
    rows.storeTo(region);
  }

  /** Returns whether a word of the address's stripe may be in the set; false is certain. */
  boolean mayContain(long address) {
    return passesFilter(address) && (!isIndexed() || isInFineFilter(address));
  }

  private boolean isIndexed() {
    return length > scanned;
  }

  /** Returns whether {@link #find} may find the address. One test, which usually fails. */
  boolean passesFilter(long address) {
    return (filter & filterBit(address)) != 0;
  }

  /** Returns the result of {@link #passesFilter} for an address with this orec. */
  boolean isInFilter(int orec) {
    return (filter & 1L << orec) != 0; // the shift takes the low six bits
  }

  private long filterBit(long address) {
    return 1L << OrecTable.of(address, orecShift);
  }

  private boolean isInFineFilter(long address) {
    long hash = OrecTable.stripe(address) * MULTIPLIER;
    return (fineFilter[(int) (hash >>> FILTER_SHIFT)] & 1L << (hash >>> (FILTER_SHIFT - 6))) != 0;
  }

  private void addToFineFilter(long address) {
    long hash = OrecTable.stripe(address) * MULTIPLIER;
    fineFilter[(int) (hash >>> FILTER_SHIFT)] |= 1L << (hash >>> (FILTER_SHIFT - 6));
  }

  /** Returns the argument of {@link #value} for an address, or -1. For a single word, its entry. */
  public int find(long address) {
    if (isIndexed()) {
      return findIndexed(address);
    }
    long[] entries = this.entries;
    for (int at = length - 2; at >= 0; at -= 2) {
      if (entries[at] == address) {
        return at >> 1;
      }
    }
    return findInRows(address);
  }

  private int findInRows(long address) {
    int position = rows.find(address); // -1 immediately without rows
    return position < 0 ? -1 : position + IN_ROW;
  }

  private int findIndexed(long address) {
    if (!isInFineFilter(address)) {
      return -1;
    }
    int again = recent[(int) (address >>> 3) & (recent.length - 1)];
    if (2 * again < length && entries[2 * again] == address) {
      return again;
    }
    int inRow = findInRows(address);
    if (inRow >= 0) {
      return inRow;
    }
    long[] index = this.index;
    int mask = index.length - 1;
    int slot = home(address);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      int entry = findInStripe((int) s, address);
      if (entry >= 0) {
        recent[(int) (address >>> 3) & (recent.length - 1)] = entry;
        return entry;
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /** Returns the entry of an address among those of its stripe from {@code first} on, or -1. */
  private int findInStripe(int first, long address) {
    long[] entries = this.entries;
    for (int at = 2 * first;
        at < length && OrecTable.stripe(entries[at]) == OrecTable.stripe(address);
        at += 2) {
      if (entries[at] == address) {
        return at >> 1;
      }
    }
    return -1;
  }

  /** Returns the index slot of an address's stripe, or the free slot where it belongs. */
  private int slotOfStripe(long address) {
    long[] index = this.index;
    long[] entries = this.entries;
    int mask = index.length - 1;
    int slot = home(address);
    for (long s = index[slot]; (int) (s >>> 32) == stamp; s = index[slot]) {
      if (OrecTable.stripe(entries[2 * (int) s]) == OrecTable.stripe(address)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Limits the number of words that {@link #put} accepts. The set must be empty. */
  public void limit(int words) {
    maxLength = (int) Math.min(2L * words, Integer.MAX_VALUE - 1);
    limit = maxLength;
    room = Math.min(2 * SCANNED_ENTRIES, limit);
  }

  /**
   * Lowers the limit by the words that the transaction writes elsewhere.
   *
   * @param words may be negative, before or after {@link #rollBack}
   */
  void claim(int words) {
    maxLength -= 2 * words;
    limit -= 2 * words;
    // Not only lowered: a set that is short and within its limit must not add to the index.
    room = scanned < 0 ? 0 : Math.min(scanned, limit);
  }

  /** Returns whether {@link #claim} may lower the limit by so many words. */
  boolean hasRoomFor(int words) {
    return 2L * words <= limit - length;
  }

  /** Sets the bounds of a set without rows. It calls no method, so no error can interrupt it. */
  private void withoutRows() {
    limit = maxLength;
    scanned = 2 * SCANNED_ENTRIES; // a set with an index is longer
    room = limit < scanned ? limit : scanned;
  }

  /**
   * Sets the value of an address, which may be in the set.
   *
   * @return false if the set is full
   */
  public boolean put(long address, long value) {
    if (passesFilter(address) && replaceIfPresent(address, value)) {
      return true;
    }
    return add(address, value);
  }

  /** Sets the value of an address if it is in the set; returns whether it is. */
  private boolean replaceIfPresent(long address, long value) {
    int entry = find(address);
    if (entry >= IN_ROW) {
      rows.set(entry - IN_ROW, value);
    } else if (entry >= 0) {
      if (former != null) {
        keepFormer(entry);
      }
      entries[2 * entry + 1] = value;
    }
    return entry >= 0;
  }

  /**
   * Prepares {@link #rows} for consecutive words. Returns false if one of them may be in the set.
   * Otherwise the caller adds them to the rows, then calls {@link #endRow}.
   */
  public boolean beginRow(long address, int count) {
    if (!canBeRow(address, count)) {
      return false;
    }
    rows.reserve(count); // may throw OutOfMemoryError, so it precedes all changes
    unfinished++;
    limit -= 2 * count; // of the single words
    if (scanned >= 0 && rows.count() + count > SCANNED_ROW_WORDS) {
      int from = isIndexed() ? length >> 1 : 0;
      scanned = -1;
      addToIndex(from);
    }
    room = scanned < 0 ? 0 : Math.min(room, limit);
    addToFilters(address, address + (long) count * Long.BYTES);
    return true;
  }

  public void endRow() {
    unfinished--;
  }

  private boolean canBeRow(long address, int count) {
    return count >= WrittenRows.MIN_WORDS
        && former == null
        && rows.hasRoom(count)
        && 2 * count <= limit - length
        && isAbsent(address, address + (long) count * Long.BYTES);
  }

  /** Returns whether no word of a range is in the set; true is certain. */
  private boolean isAbsent(long from, long end) {
    if (isIndexed()) {
      return isAbsentByIndex(from, end);
    }
    for (int at = 0; at < length; at += 2) {
      if (entries[at] >= from && entries[at] < end) {
        return false;
      }
    }
    return !rows.mayOverlap(from, end);
  }

  /** Returns whether no stripe of a range has a single word, and no row overlaps it. */
  private boolean isAbsentByIndex(long from, long end) {
    boolean hit = false;
    for (long a = from & -OrecTable.STRIPE_BYTES; a < end; a += OrecTable.STRIPE_BYTES) {
      if (isInFineFilter(a)) {
        hit = true;
        if ((int) (index[slotOfStripe(a)] >>> 32) == stamp) {
          return false;
        }
      }
    }
    return !hit || !rows.mayOverlap(from, end);
  }

  /** Adds the stripes of a row to the filters. */
  private void addToFilters(long from, long end) {
    boolean indexed = isIndexed();
    for (long a = from & -OrecTable.STRIPE_BYTES; a < end; a += OrecTable.STRIPE_BYTES) {
      filter |= filterBit(a);
      if (indexed) {
        addToFineFilter(a);
      }
    }
  }

  /** Converts rows to single words. An OutOfMemoryError leaves the set unchanged. */
  public void splitRows() {
    if (rows.isEmpty() || isSplitting) {
      return;
    }
    reserve(rows.count());
    isSplitting = true;
    limit = maxLength;
    long[] words = rows.array();
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      long address = rows.address(row);
      for (int i = 0, n = rows.words(row); i < n; i++) {
        add(address + (long) i * Long.BYTES, words[row + 1 + i]);
      }
    }
    rows.clear();
    withoutRows();
    isSplitting = false;
  }

  /**
   * Sets consecutive words of one stripe.
   *
   * @param source the words, little-endian, from {@code offset} on
   * @return false if there was no room for a word; if true, the set may exceed its limit
   */
  boolean putStripe(long address, byte[] source, int offset, int count) {
    if (!isAbsent(address, address + (long) count * Long.BYTES)) {
      boolean all = true;
      for (int i = 0; i < count; i++) {
        all &=
            put(address + (long) i * Long.BYTES, (long) BYTES.get(source, offset + i * Long.BYTES));
      }
      return all;
    }
    if (length + 2 * count > entries.length) {
      grow(2 * entries.length); // may throw OutOfMemoryError, so it precedes all changes
    }
    int at = length;
    long[] entries = this.entries;
    for (int i = 0; i < count; i++) {
      entries[at + 2 * i] = address + (long) i * Long.BYTES;
      entries[at + 2 * i + 1] = (long) BYTES.get(source, offset + i * Long.BYTES);
    }
    filter |= filterBit(address);
    unfinished++; // a call may overflow the stack
    length = at + 2 * count;
    if (isIndexed()) {
      addToIndex(at > scanned ? at >> 1 : 0);
    }
    unfinished--;
    return true;
  }

  /** Adds an address that is not in the set; returns false if the set is full. */
  private boolean add(long address, long value) {
    if (length >= limit) {
      return false;
    }
    if (length == entries.length) {
      grow(2 * entries.length); // may throw OutOfMemoryError, so it precedes the changes
    }
    int at = length;
    entries[at] = address;
    entries[at + 1] = value;
    filter |= filterBit(address);
    if (at < room) {
      length = at + 2;
      return true;
    }
    unfinished++; // the call may overflow the stack
    length = at + 2;
    addToIndex(at > scanned ? at >> 1 : 0);
    unfinished--;
    return true;
  }

  /**
   * Adds an address if it is certainly not in the set, the set is small, and there is room.
   *
   * @param orec the orec of the address
   * @return false if the set is unchanged; then the caller uses {@link #put}
   */
  boolean append(long address, long value, int orec) {
    int at = length;
    long bit = 1L << orec;
    if (at >= room || (filter & bit) != 0) {
      return false;
    }
    long[] entries = this.entries;
    entries[at + 1] = value;
    entries[at] = address;
    filter |= bit;
    length = at + 2;
    return true;
  }

  /** Adds the entries from {@code from} on to the index, which does not contain them yet. */
  private void addToIndex(int from) {
    if (from == 0) {
      for (int row = 0; row < rows.end(); row = rows.next(row)) {
        addToFilters(rows.address(row), rows.endAddress(row));
      }
    }
    long[] entries = this.entries;
    for (int at = 2 * from; at < length; at += 2) {
      if (at == 0 || OrecTable.stripe(entries[at]) != OrecTable.stripe(entries[at - 2])) {
        index[freeSlot(entries[at])] = (long) stamp << 32 | at >> 1;
        addToFineFilter(entries[at]);
      }
    }
  }

  void clear() {
    // Calls first: if one overflows the stack, the next clear() starts again.
    if (isIndexed()) {
      Arrays.fill(fineFilter, 0);
      if (stamp == -1) {
        Arrays.fill(index, 0);
      }
      stamp = stamp == -1 ? 1 : stamp + 1;
    }
    rows.clear();
    withoutRows(); // also after an interrupted beginRow
    unfinished = 0;
    isSplitting = false;
    length = 0;
    filter = 0;
    former = null;
  }

  /** Frees memory that an unusually large transaction needed. */
  void trim() {
    clear();
    rows.trim();
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
      replaceIndex(new long[2 * FIRST_ENTRIES]);
    }
  }

  /** Returns a position for {@link #rollBack}. Changes are undoable from the first call on. */
  public long position() {
    FormerValues former = this.former;
    if (former == null) {
      splitRows();
      former = new FormerValues();
      this.former = former;
    }
    former.begin(length / 2);
    return (long) former.length() << 32 | length;
  }

  /** Returns whether changes are undoable: {@link #position} was called. */
  public boolean isUndoable() {
    return former != null;
  }

  private void keepFormer(int entry) {
    Objects.requireNonNull(former, "former").keep(entry, entries[2 * entry + 1]);
  }

  /** Undoes all changes since a position. */
  public void rollBack(long position) {
    FormerValues former = Objects.requireNonNull(this.former, "former");
    long[] fresh = new long[entries.length]; // index.length may be smaller after an error
    former.begin((int) position / 2); // first: keeping a value twice does no harm
    unfinished = 1; // the code below rebuilds all tables, so earlier interrupted changes are void
    former.rollBack((int) (position >>> 32), entries);
    length = (int) position;
    filter = 0;
    for (int at = 0; at < length; at += 2) {
      filter |= filterBit(entries[at]);
    }
    replaceIndex(fresh);
    Arrays.fill(fineFilter, 0);
    withoutRows();
    if (isIndexed()) {
      addToIndex(0);
    }
    unfinished = 0;
  }

  /**
   * Returns whether an error may have left entries that cannot be found; then no commit is valid.
   */
  public boolean isBroken() {
    return unfinished != 0 || isSplitting || rows.isBroken();
  }

  /** Reserves room for more words in one step. */
  void reserve(int words) {
    int needed = length + 2 * words;
    if (needed > entries.length) {
      grow(2 * Integer.highestOneBit(needed - 1));
    }
  }

  /** Extends both tables, or leaves both unchanged. The index stays at most half full. */
  private void grow(int slots) {
    long[] moreEntries = new long[slots];
    long[] moreIndex = new long[slots];
    System.arraycopy(entries, 0, moreEntries, 0, length);
    unfinished++;
    replaceIndex(moreIndex); // first: the call may overflow the stack
    entries = moreEntries;
    if (isIndexed()) {
      addToIndex(0);
    }
    unfinished--;
  }

  /**
   * Returns the slot where the search for a stripe begins. The slots of the stripes of a stripe
   * group are in one cache line, because transactions write long ranges and whole objects.
   */
  private int home(long address) {
    long group = ((address >>> GROUP_SHIFT) * MULTIPLIER) >>> indexShift << GROUP_BITS;
    return (int) (group | (OrecTable.stripe(address) & GROUP_MASK));
  }

  private int freeSlot(long address) {
    int mask = index.length - 1;
    int slot = home(address);
    while ((int) (index[slot] >>> 32) == stamp) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Replaces the index by an empty one. */
  private void replaceIndex(long[] empty) {
    int shift = Long.SIZE - Integer.numberOfTrailingZeros(empty.length) + GROUP_BITS;
    index = empty; // after the last call: both fields change, or none
    indexShift = shift;
    stamp = 1;
  }
}
