package io.howdah.txn.words;

import io.howdah.core.Region;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and writes ranges of consecutive words of a transaction. A range that is read is validated
 * like single words, by the orecs of all its stripes.
 *
 * <p>Used by one thread at a time, like its owner.
 */
final class WordRanges {

  private static final int WORD_SHIFT = 3;
  private static final int GROUP_ORECS = OrecTable.GROUP_BYTES / OrecTable.STRIPE_BYTES;

  /**
   * Number of stripe groups whose orecs are read before their words, so that cache misses overlap.
   */
  private static final int CHUNK_GROUPS = 8;

  private static final int CHUNK_BYTES = CHUNK_GROUPS * OrecTable.GROUP_BYTES;

  private static final int PART_BYTES = 1 << 12;

  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final Words owner;
  private final Region region;
  private final OrecTable orecs;
  private final ReadSet reads;
  private final WriteSet writes;

  /** The orecs of a chunk, loaded before its words. */
  private final long[] before = new long[CHUNK_GROUPS * GROUP_ORECS];

  private byte[] part = {};

  WordRanges(Words owner, Region region, OrecTable orecs) {
    this.owner = owner;
    this.region = region;
    this.orecs = orecs;
    this.reads = owner.reads;
    this.writes = owner.writes;
  }

  /** Returns a buffer of some KiB for copies in pieces. The next call returns the same buffer. */
  byte[] part() {
    if (part.length == 0) {
      part = new byte[PART_BYTES];
    }
    return part;
  }

  /** Reads words, whose addresses are valid, into bytes. */
  void get(long address, byte[] target, int offset, int words) {
    long end = address + ((long) words << WORD_SHIFT);
    for (long a = address; a < end; ) {
      long chunkEnd = Math.min(end, (a & -OrecTable.GROUP_BYTES) + CHUNK_BYTES);
      getChunk(a, chunkEnd, target, offset + (int) (a - address));
      a = chunkEnd;
    }
    if (writes.count() != 0) {
      overlay(address, target, offset, words);
    }
  }

  /**
   * Reads the words of some stripe groups: first all orecs, then all words, then all orecs again.
   * Few instructions lie between the loads of words, so their cache misses overlap.
   *
   * <p>Each group is added to the read set, or read word by word, before the next one is validated.
   * Both may move the snapshot. The next group's orecs are loaded again after that. If they have
   * not changed since the first load, the group's words belong to the new snapshot as well.
   */
  private void getChunk(long from, long end, byte[] target, int offset) {
    long[] before = this.before;
    // The order of loads is that of Words.getUnchecked. The words between the two loads of the
    // orecs may be loaded in any order and even torn: if an orec has changed, they are discarded.
    int first = 0;
    for (long a = from; a < end; ) {
      long groupEnd = OrecTable.groupEnd(a, end);
      long orec = orecs.of(a);
      int count = OrecTable.stripes(a, groupEnd);
      for (int i = 0; i < count; i++) {
        before[first + i] = orecs.getAcquire(orec + i);
      }
      first += count;
      a = groupEnd;
    }
    region.getBytes(from, target, offset, (int) (end - from));
    VarHandle.acquireFence();
    first = 0;
    for (long a = from; a < end; ) {
      long groupEnd = OrecTable.groupEnd(a, end);
      long orec = orecs.of(a);
      int count = OrecTable.stripes(a, groupEnd);
      if (areReadable(orec, first, count)) {
        reads.add(orec, before, first, count);
      } else {
        for (long w = a; w < groupEnd; w += Long.BYTES) {
          BYTES.set(target, offset + (int) (w - from), owner.getUnchecked(w));
        }
      }
      first += count;
      a = groupEnd;
    }
  }

  private boolean areReadable(long orec, int first, int count) {
    long[] before = this.before;
    boolean readable = true;
    for (int i = 0; i < count; i++) {
      readable &= owner.isReadable(before[first + i], orecs.getOpaque(orec + i));
    }
    return readable;
  }

  /** Replaces words that were read from memory with those that this transaction has written. */
  void overlay(long address, byte[] target, int offset, int words) {
    long end = address + ((long) words << WORD_SHIFT);
    WrittenRows rows = writes.rows();
    if (writes.singles() + rows.rows() < words >> 2) {
      for (int entry = 0, n = writes.singles(); entry < n; entry++) {
        long a = writes.address(entry);
        if (a >= address && a < end) {
          BYTES.set(target, offset + (int) (a - address), writes.value(entry));
        }
      }
      for (int row = 0; row < rows.end(); row = rows.next(row)) {
        long from = rows.address(row);
        int first = row + 1; // the value of the row's first word
        for (long a = Math.max(from, address), last = Math.min(rows.endAddress(row), end);
            a < last;
            a += Long.BYTES) {
          long value = rows.value(first + (int) ((a - from) >> WORD_SHIFT));
          BYTES.set(target, offset + (int) (a - address), value);
        }
      }
      return;
    }
    for (long a = address; a < end; ) {
      long stripeEnd = stripeEnd(a, end);
      if (writes.mayContain(a)) { // the answer is the same for all words of the stripe
        for (long w = a; w < stripeEnd; w += Long.BYTES) {
          int entry = writes.find(w);
          if (entry >= 0) {
            BYTES.set(target, offset + (int) (w - address), writes.value(entry));
          }
        }
      }
      a = stripeEnd;
    }
  }

  private static long stripeEnd(long address, long end) {
    return Math.min(end, (address & -OrecTable.STRIPE_BYTES) + OrecTable.STRIPE_BYTES);
  }

  /** Writes words, whose addresses are valid, from bytes. */
  void put(long address, byte[] source, int offset, int words) {
    if (writes.beginRow(address, words)) {
      writes.rows().add(address, source, offset, words);
      writes.endRow();
      return;
    }
    putSlowly(address, source, offset, words);
  }

  /** Writes words that a guard protects; otherwise like {@link #put}. */
  void putGuarded(long address, byte[] source, int offset, int words) {
    if (writes.beginRow(address, words)) {
      writes.rows().addGuarded(address, source, offset, words);
      writes.endRow();
      return;
    }
    putSlowly(address, source, offset, words); // the commit also locks the stripes of these words
  }

  private void putSlowly(long address, byte[] source, int offset, int words) {
    owner.reserveWrites(words);
    long end = address + ((long) words << WORD_SHIFT);
    int at = offset;
    for (long a = address; a < end; ) {
      long stripeEnd = stripeEnd(a, end);
      int count = (int) (stripeEnd - a) >> WORD_SHIFT;
      owner.requireRoom(writes.putStripe(a, source, at, count));
      at += count << WORD_SHIFT;
      a = stripeEnd;
    }
  }
}
