package io.howdah.txn.words;

import io.howdah.core.Region;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and writes words of a transaction that lie side by side, many at a time. What is read is
 * validated as single words are: by the orecs of all its stripes.
 *
 * <p>Used by one thread at a time, like its owner.
 */
final class WordRanges {

  private static final int WORD_SHIFT = 3;
  private static final int LINE_ORECS = OrecTable.LINE_BYTES / OrecTable.STRIPE_BYTES;

  /** Lines whose orecs are read before their words: so many misses are under way at once. */
  private static final int CHUNK_LINES = 8;

  private static final int CHUNK_BYTES = CHUNK_LINES * OrecTable.LINE_BYTES;

  private static final int PART_BYTES = 1 << 12;

  private static final VarHandle BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final Words owner;
  private final Region region;
  private final OrecTable orecs;
  private final ReadSet reads;
  private final WriteSet writes;

  /** What the orecs of a chunk held before its words were read. */
  private final long[] before = new long[CHUNK_LINES * LINE_ORECS];

  private byte[] part = {};

  WordRanges(Words owner, Region region, OrecTable orecs) {
    this.owner = owner;
    this.region = region;
    this.orecs = orecs;
    this.reads = owner.reads;
    this.writes = owner.writes;
  }

  /** Returns a buffer of some KiB for what is copied part by part; nobody else uses it. */
  byte[] part() {
    if (part.length == 0) {
      part = new byte[PART_BYTES];
    }
    return part;
  }

  /** Reads words, whose addresses are known to be good, into bytes. */
  void get(long address, byte[] target, int offset, int words) {
    long end = address + ((long) words << WORD_SHIFT);
    for (long a = address; a < end; ) {
      long chunkEnd = Math.min(end, (a & -OrecTable.LINE_BYTES) + CHUNK_BYTES);
      getChunk(a, chunkEnd, target, offset + (int) (a - address));
      a = chunkEnd;
    }
    if (writes.count() != 0) {
      overlay(address, target, offset, words);
    }
  }

  /**
   * Reads the words of some lines: first the orecs, then all words at once, then the orecs again.
   * So few instructions stand between the words that their cache misses overlap.
   *
   * <p>A line is added to the read set, or read word by word, before the next one is validated:
   * either may move the snapshot. The next line's orecs are looked at after that, and have not
   * changed since its words were read, so these belong to the new snapshot as well.
   */
  private void getChunk(long from, long end, byte[] target, int offset) {
    long[] before = this.before;
    // Orders as in Words.getUnchecked; the words between the loads of the orecs may come in
    // any, and even in parts, since nothing counts if one of the orecs has changed.
    int first = 0;
    for (long a = from; a < end; ) {
      long lineEnd = OrecTable.lineEnd(a, end);
      long orec = orecs.of(a);
      int count = OrecTable.stripes(a, lineEnd);
      for (int i = 0; i < count; i++) {
        before[first + i] = orecs.getAcquire(orec + i);
      }
      first += count;
      a = lineEnd;
    }
    region.getBytes(from, target, offset, (int) (end - from));
    VarHandle.acquireFence();
    first = 0;
    for (long a = from; a < end; ) {
      long lineEnd = OrecTable.lineEnd(a, end);
      long orec = orecs.of(a);
      int count = OrecTable.stripes(a, lineEnd);
      if (areReadable(orec, first, count)) {
        reads.add(orec, before, first, count);
      } else {
        for (long w = a; w < lineEnd; w += Long.BYTES) {
          BYTES.set(target, offset + (int) (w - from), owner.getUnchecked(w));
        }
      }
      first += count;
      a = lineEnd;
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

  /** Puts what this transaction has written over what was read from memory. */
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
      if (writes.mayContain(a)) { // as good for its other words
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

  /** Writes words, whose addresses are known to be good, from bytes. */
  void put(long address, byte[] source, int offset, int words) {
    if (writes.beginRow(address, words)) {
      writes.rows().add(address, source, offset, words);
      writes.endRow();
      return;
    }
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
