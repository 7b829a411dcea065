package io.howdah.txn.words;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.alloc.HeapWords;
import io.howdah.txn.stm.TxEnvironment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The words that one transaction reads and writes: access by address, on top of the snapshot of
 * {@link TxReads}. Writes stay in the write set until the commit, and reads show them.
 *
 * <p>Used by one thread at a time.
 */
public abstract class TxWords extends TxReads {

  private static final int WORD_SHIFT = 3;
  private static final int STRIPE_SHIFT = Integer.numberOfTrailingZeros(OrecTable.STRIPE_BYTES);
  private static final long NO_GUARD = -1;
  private static final int LINE_WORDS = 8;

  /** How many words {@link #get(long[], long[])} reads at once. */
  private static final int AT_ONCE = 64;

  private static final int CACHE_LINE_BYTES = 64;

  /** One orec for so many bytes is loaded in advance: at least one in each of their cache lines. */
  private static final int ORECS_BYTES = OrecTable.LINE_BYTES / 2;

  private static final int STRIPE_WORDS = OrecTable.STRIPE_BYTES / Long.BYTES;

  /**
   * How often a slow path calls itself before it begins: one time more than the compiler inlines a
   * method into itself. So it stays a call where it is rarely needed. Otherwise one transaction
   * with many writes, which needs it often, would have it inlined into each read and write of the
   * program. Those would then be too large to be inlined themselves, and a processor overlaps the
   * cache misses of only so many instructions.
   */
  private static final int UNINLINED = 2;

  public final Guards guards = new Guards();
  private final WordRanges ranges;
  private final long dataWords;
  private final int maxWrites;

  /** Maximum number of words that this attempt may write. */
  private int writeLimit;

  /**
   * First of the two orecs of the line read last, and what they held; {@link #NO_GUARD} if its
   * words do not all come from memory as it was at one moment.
   */
  private long guardOrec = NO_GUARD;

  private final long[] guardSeen = new long[2];

  @SuppressWarnings("UnusedVariable") // written so that loads for their cache lines' sake stay
  private long touched;

  public TxWords(TxEnvironment engine, Counters counters) {
    super(engine, counters);
    this.dataWords = (region.capacityBytes() - RegionHeaderLayout.BLOCKS_ADDRESS) >>> WORD_SHIFT;
    this.maxWrites = (int) (engine.maxTransactionBytes() >>> WORD_SHIFT);
    this.ranges = new WordRanges(this, region, orecs);
  }

  /** Begins the accesses of an attempt; see {@link #beginReads}. */
  public final void beginWords(boolean readOnly, boolean hasLost, long lastCommit) {
    writes.clear();
    guards.clear();
    guardOrec = NO_GUARD;
    writeLimit = readOnly ? 0 : maxWrites;
    writes.limit(writeLimit);
    beginReads(readOnly, hasLost, lastCommit);
  }

  /** Gives memory back that an unusually large transaction needed. */
  public final void trimWords() {
    trimReads();
    writes.trim();
    guards.trim();
  }

  /** Uses words that were loaded only for their cache lines, so that the loads stay. */
  public final void touched(long words) {
    touched = words;
  }

  // ---- Words.

  /** Reads a word of the application's part of the region. */
  public final long get(long address) {
    requireWord(address);
    return getUnchecked(address);
  }

  /** Reads many words of the application's part of the region. */
  public final void get(long[] addresses, long[] values) {
    int count = addresses.length;
    int i = 0;
    while (i < count) {
      int few = Math.min(count - i, AT_ONCE);
      int end = i + few;
      i += reads.hasRoom(few) ? getAtOnce(addresses, values, i, few) : 0;
      for (; i < end; i++) {
        values[i] = get(addresses[i]);
      }
    }
  }

  /**
   * Reads some words: first all orecs, then all words, then all orecs again (docs/protocol.md,
   * section 7). The loops that load are so short that the processor has all cache misses of both
   * under way at once. A read of one word is so long that it sees no further than the next ones.
   *
   * @return how many words, from the first one on, are read and belong to the snapshot; the rest
   *     has to be read one by one
   */
  private int getAtOnce(long[] addresses, long[] values, int from, int count) {
    long[] noted = reads.entries();
    int end = reads.end();
    noteOrecs(addresses, from, count, noted, end);
    region.getLongs(addresses, values, from, count); // for the sake of their cache lines
    long[] array = orecs.array();
    noteSeen(array, count, noted, end);
    // Together with the loads of the orecs, an acquire: the words are not read before.
    VarHandle.acquireFence();
    region.getLongs(addresses, values, from, count);
    VarHandle.acquireFence();
    int valid = countValid(array, count, noted, end);
    reads.confirm(valid);
    return valid;
  }

  private void noteOrecs(long[] addresses, int from, int count, long[] noted, int end) {
    int shift = orecShift;
    for (int i = 0; i < count; i++) {
      long address = addresses[from + i];
      requireWord(address);
      noted[end + 2 * i] = OrecTable.of(address, shift);
    }
  }

  private void noteSeen(long @Nullable [] array, int count, long[] noted, int end) {
    OrecTable orecs = this.orecs;
    for (int i = 0; i < count; i++) {
      noted[end + 2 * i + 1] = orecs.getOpaque(array, noted[end + 2 * i]);
    }
  }

  /** Returns how many words, from the first one on, are not written and belong to the snapshot. */
  private int countValid(long @Nullable [] array, int count, long[] noted, int end) {
    OrecTable orecs = this.orecs;
    for (int i = 0; i < count; i++) {
      long orec = noted[end + 2 * i];
      if (!isReadable(noted[end + 2 * i + 1], orecs.getOpaque(array, orec))
          || writes.isInFilter((int) orec)) {
        return i;
      }
    }
    return count;
  }

  /** Reads a word whose address is valid; the region's header is allowed. */
  public final long getUnchecked(long address) {
    // The array is in a local variable, since fields are loaded again behind each acquire. The slow
    // paths are calls whose results are returned as they are, so that nothing is kept for them.
    long[] array = orecArray;
    int orec = OrecTable.of(address, orecShift);
    // The comparison is that of the array access, so the compiler makes one of the two.
    if (Integer.compareUnsigned(orec, array.length) >= 0 || writes.isInFilter(orec)) {
      return getSlowly(address, 0);
    }
    // The pair of orec loads brackets the data load: acquire before, an acquire fence after, since
    // a second load-acquire would not keep the data load above it (docs/protocol.md, section 7).
    // Pairs with the commit's store-store fence before its data stores and its release of the orec.
    long before = OrecTable.getAcquire(array, orec);
    long value = region.getLongOpaque(address);
    VarHandle.acquireFence();
    long after = OrecTable.getOpaque(array, orec);
    if (before == after && !OrecTable.isLocked(before) && before <= plainLimit) {
      reads.add(orec, before);
      return value;
    }
    return getContended(address, orec);
  }

  /**
   * Reads a word that the transaction may have written, or whose orec is in a region.
   *
   * @param calls see {@link #UNINLINED}
   */
  private long getSlowly(long address, int calls) {
    if (calls < UNINLINED) {
      return getSlowly(address, calls + 1);
    }
    int entry = writes.passesFilter(address) ? writes.find(address) : -1;
    if (entry >= 0) {
      return writes.value(entry);
    }
    long orec = orecs.of(address);
    long before = orecs.getAcquire(orec);
    long value = region.getLongOpaque(address);
    VarHandle.acquireFence();
    if (isReadable(before, orecs.getOpaque(orec))) {
      reads.add(orec, before);
      return value;
    }
    return getContended(address, orec);
  }

  /** Reads consecutive words, whose addresses are valid, into bytes. */
  public final void getRange(long address, byte[] target, int offset, int words) {
    ranges.get(address, target, offset, words);
  }

  /** Reads the 8 words of a cache line, whose address is valid. */
  public final void getLine(long address, long[] line) {
    long orec = orecs.of(address);
    // The same order of loads as in getUnchecked.
    long first = orecs.getAcquire(orec);
    long second = orecs.getAcquire(orec + 1);
    region.getLongs(address, line, LINE_WORDS);
    VarHandle.acquireFence();
    if (isReadable(first, orecs.getOpaque(orec)) && isReadable(second, orecs.getOpaque(orec + 1))) {
      guardOrec = orec;
      guardSeen[0] = first;
      guardSeen[1] = second;
      reads.add(orec, first, second);
    } else {
      guardOrec = NO_GUARD;
      for (int i = 0; i < LINE_WORDS; i++) {
        line[i] = getUnchecked(address + ((long) i << WORD_SHIFT));
      }
      return;
    }
    if (writes.count() != 0) {
      overlayLine(address, line);
    }
  }

  /**
   * Reads words that every writer {@linkplain #guard guards} by a word of the line read last. The
   * orec of that word is in the cache and in the read set already, and it shows whether the words
   * belong to the snapshot.
   *
   * @param slot address of the guarding word
   * @return false if the orec does not show it, or if this transaction may have written the
   *     guarding word; then the caller reads the words by their own orecs
   */
  public final boolean getGuarded(long address, byte[] target, int words, long slot) {
    if (guardOrec == NO_GUARD || writes.mayContain(slot)) {
      return false;
    }
    region.getBytes(address, target, 0, words << WORD_SHIFT);
    // As after every read of data: pairs with the store-store fence between the locks and the
    // stores of the commit that wrote these words (docs/protocol.md, section 7).
    VarHandle.acquireFence();
    int which = (int) (slot >>> STRIPE_SHIFT) & 1; // a branch would be unpredictable
    if (orecs.getOpaque(guardOrec + which) != guardSeen[which]) {
      return false;
    }
    if (writes.count() != 0) {
      ranges.overlay(address, target, 0, words);
    }
    return true;
  }

  /**
   * Makes the commit lock the orec of a word and give it the commit's version, as if it wrote the
   * word. Readers that read other words by {@link #getGuarded} then see a change. The caller must
   * write another word afterwards that the transaction has not written before. So there are at most
   * as many guards as written words, and the number of those is limited.
   */
  public final void guard(long address) {
    guards.add(address);
  }

  /** Returns whether the transaction has written a word. */
  public final boolean hasWritten(long address) {
    return writes.passesFilter(address) && writes.find(address) >= 0;
  }

  private void overlayLine(long address, long[] line) {
    for (int stripe = 0; stripe < LINE_WORDS; stripe += STRIPE_WORDS) {
      if (!writes.mayContain(address + ((long) stripe << WORD_SHIFT))) {
        continue; // the answer holds for all words of the stripe
      }
      for (int i = stripe; i < stripe + STRIPE_WORDS; i++) {
        int entry = writes.find(address + ((long) i << WORD_SHIFT));
        line[i] = entry >= 0 ? writes.value(entry) : line[i];
      }
    }
  }

  /**
   * Gets memory for a page that was never used. A read is not enough: it maps a shared page of
   * zeros, which the first write replaces with an interrupt of all processors. The compare-and-set
   * changes no value, whatever other threads do there.
   */
  public final void prepare(long address) {
    region.compareAndSetLong(address, 0, 0);
  }

  /**
   * Loads the cache lines of a word and of its orec, which will be read soon: the misses of several
   * words then overlap. Returns the word's present value, for a guess what to load next.
   */
  public final long preload(long address) {
    long word = region.getLongOpaque(address);
    touched ^= word ^ orecs.getOpaque(orecs.of(address));
    return word;
  }

  /**
   * Loads the cache lines of a small block that will be read soon, and of its orecs. A hint, like
   * the others here.
   *
   * @param block its words have valid addresses
   */
  public final void preload(long block, int bytes) {
    long[] array = orecs.array();
    OrecTable orecs = this.orecs;
    int shift = orecShift;
    long end = block + bytes;
    long seen = 0;
    for (long at = block; at < end; at += CACHE_LINE_BYTES) {
      seen ^= region.getLongOpaque(at);
    }
    for (long at = block; at < end; at += ORECS_BYTES) {
      long orec = OrecTable.of(at, shift);
      seen ^= orecs.getOpaque(array, orec);
    }
    touched = seen;
  }

  /**
   * Loads the cache lines of words that will be read soon, and of their orecs: the misses of all of
   * them overlap. A hint, which changes nothing that a read returns.
   *
   * @param addresses the first {@code count} are valid addresses of words
   * @param sink receives present values, which mean nothing
   */
  public final void preload(long[] addresses, int count, long[] sink) {
    region.getLongs(addresses, sink, 0, count);
    long[] array = orecs.array();
    OrecTable orecs = this.orecs;
    int shift = orecShift;
    long seen = 0;
    for (int i = 0; i < count; i++) {
      long orec = OrecTable.of(addresses[i], shift);
      seen ^= orecs.getOpaque(array, orec);
    }
    touched = seen;
  }

  /** Likewise, without the orecs, for words that will be read by an orec loaded before. */
  public final void preloadWords(long[] addresses, int count, long[] sink) {
    region.getLongs(addresses, sink, 0, count);
  }

  /** Reads present values from an address on, as {@link #peek(long)} does. */
  public final void peek(long address, long[] words, int count) {
    region.getLongs(address, words, count);
  }

  /**
   * Returns the present value of a word, whatever the snapshot. Use it only to guess how much to
   * read.
   */
  public final long peek(long address) {
    return region.getLongOpaque(address);
  }

  /**
   * Reads a write-once word without validation. The commit that made the word reachable must also
   * have written it. Returns 0 if the word is unset, or if it has to be read like any other.
   */
  public final long getConstant(long address) {
    return isSnapshotOpen || replay != null ? 0 : region.getLongAcquire(address);
  }

  /**
   * Reads a word that only grows, without a conflict if it grows. The value may be older or newer
   * than the snapshot. A transaction with a kept snapshot reads the word like any other, and so
   * does every transaction while the log is being replayed. A reader that sees a number also sees
   * the locked orecs of all words that were written with it: the acquire load pairs with the
   * store-store fence between the locks and the stores of a commit.
   */
  public final long getGuess(long address) {
    if (isSnapshotOpen || replay != null) {
      return getUnchecked(address);
    }
    int entry = writes.passesFilter(address) ? writes.find(address) : -1;
    return entry >= 0 ? writes.value(entry) : region.getLongAcquire(address);
  }

  /** Returns a buffer of a few KiB for copies in pieces. */
  final byte[] part() {
    return ranges.part();
  }

  /** Writes consecutive words, whose addresses are valid, from bytes. */
  public final void putRange(long address, byte[] source, int offset, int words) {
    ranges.put(address, source, offset, words);
  }

  /** Writes the first words of an array, at consecutive addresses that are valid. */
  public final void putWords(long address, long[] source, int words) {
    if (writes.beginRow(address, words)) {
      writes.rows().add(address, source, words);
      writes.endRow();
      return;
    }
    for (int i = 0; i < words; i++) {
      putUnchecked(address + ((long) i << WORD_SHIFT), source[i]);
    }
  }

  /** Makes room for words that the transaction is going to write. */
  final void reserveWrites(int words) {
    writes.reserve(Math.clamp(writeLimit - (long) writes.count(), 0, words));
  }

  /** Writes a word of the application's part of the region. */
  public final void put(long address, long value) {
    requireWord(address);
    putUnchecked(address, value);
  }

  /** Writes a word whose address is valid; the region's header is allowed. */
  public final void putUnchecked(long address, long value) {
    if (!writes.append(address, value, OrecTable.of(address, orecShift))) {
      putSlowly(address, value, 0);
    }
  }

  /**
   * Writes a word that the transaction may have written already, or one of many.
   *
   * @param calls see {@link #UNINLINED}
   */
  private void putSlowly(long address, long value, int calls) {
    if (calls < UNINLINED) {
      putSlowly(address, value, calls + 1);
    } else if (!writes.put(address, value)) {
      throw refuse(tooMany());
    }
  }

  /**
   * Ends the transaction if it has written more than it may.
   *
   * @param isWritten false if a word found no room
   */
  final void requireRoom(boolean isWritten) {
    if (!isWritten || writes.count() > writeLimit) {
      throw refuse(tooMany());
    }
  }

  private RuntimeException tooMany() {
    if (engine.isReadOnly()) {
      return new ReadOnlyStoreException(
          "the store is open for reading only; open it without readOnly (--read-only) to change it");
    }
    return writeLimit == 0
        ? new TransactionStateException(
            "a read-only transaction cannot write; use run or call in place of read")
        : new TransactionTooLargeException(
            "the transaction writes more than "
                + ((long) maxWrites << WORD_SHIFT)
                + " bytes; split it, or raise maxTransactionBytes");
  }

  // ---- Addresses.

  /** Returns whether an address is that of a cache line of the application's part of the region. */
  public final boolean isLine(long address) {
    return (address & (LINE_WORDS * Long.BYTES - 1)) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address < region.capacityBytes();
  }

  /** Returns whether a block of this length can be at an address. */
  public final boolean isBlock(long address, int bytes) {
    return (address & 15) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address <= region.capacityBytes() - bytes;
  }

  /** Returns 64 random bits that cannot be guessed from outside. */
  public final long randomLong() {
    return execution.randomLong();
  }

  /** Returns whether the attempt is read-only. */
  public final boolean isReadOnly() {
    return readOnly;
  }

  /** Returns the region's capacity in bytes. */
  public final long capacityBytes() {
    return region.capacityBytes();
  }

  private void requireWord(long address) {
    // One unsigned comparison is enough: a misaligned or negative distance rotates to a huge value.
    long word = Long.rotateRight(address - RegionHeaderLayout.BLOCKS_ADDRESS, WORD_SHIFT);
    if (Long.compareUnsigned(word, dataWords) >= 0) {
      throw invalidAddress(address, Long.BYTES, Long.BYTES);
    }
  }

  /** Verifies the address of a field of 1, 2, 4 or 8 bytes. */
  public final void requireField(long address, int lengthBytes) {
    if ((address & (lengthBytes - 1)) != 0) {
      throw invalidAddress(address, lengthBytes, lengthBytes);
    }
    requireWord(address & -Long.BYTES);
  }

  /** Verifies the addresses of a range of any alignment. */
  public final void requireRange(long address, long lengthBytes) {
    long last = region.capacityBytes() - lengthBytes;
    if (lengthBytes < 0 || address < RegionHeaderLayout.BLOCKS_ADDRESS || address > last) {
      throw invalidAddress(address, lengthBytes, 1);
    }
  }

  private RuntimeException invalidAddress(long address, long lengthBytes, int alignment) {
    String problem =
        (address & (alignment - 1)) != 0
            ? "is not a multiple of " + alignment
            : "lies outside the region's data, "
                + RegionHeaderLayout.BLOCKS_ADDRESS
                + " to "
                + region.capacityBytes();
    return refuse(
        new InvalidAddressException(
            "address " + address + ", " + lengthBytes + " bytes, " + problem));
  }

  /** A transaction's words, for the allocator, whose own addresses need no checks. */
  public static final class ContextWords implements HeapWords {

    private final TxWords context;

    public ContextWords(TxWords context) {
      this.context = context;
    }

    @Override
    public long get(long address) {
      return context.getUnchecked(address);
    }

    @Override
    public void get(long address, byte[] target, int words) {
      context.getRange(address, target, 0, words);
    }

    @Override
    public void put(long address, long value) {
      context.putUnchecked(address, value);
    }

    @Override
    public void prepare(long address) {
      context.prepare(address);
    }

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return context.refuse(reason);
    }
  }
}
