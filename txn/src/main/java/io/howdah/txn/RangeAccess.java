package io.howdah.txn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Copies between the region and a segment, by words: the region knows no smaller unit. A word that
 * a range covers in part is read for its other bytes. Addresses are checked by the caller.
 */
final class RangeAccess {

  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private RangeAccess() {}

  /** Fills {@code target} with the region's bytes from {@code address} on. */
  static void read(TxContext context, long address, MemorySegment target) {
    long length = target.byteSize();
    long at = 0;
    if (length != 0 && !startsWord(address, length)) {
      at = copyBytes(context.getUnchecked(address & -Long.BYTES), address, target, at);
    }
    for (; length - at >= Long.BYTES; at += Long.BYTES) {
      target.set(WORD, at, context.getUnchecked(address + at));
    }
    if (at < length) {
      copyBytes(context.getUnchecked(address + at), address, target, at);
    }
  }

  /** Writes all of {@code source} to the region from {@code address} on. */
  static void write(TxContext context, long address, MemorySegment source) {
    long length = source.byteSize();
    long at = 0;
    if (length != 0 && !startsWord(address, length)) {
      at = mergeBytes(context, address, source, at);
    }
    for (; length - at >= Long.BYTES; at += Long.BYTES) {
      context.putUnchecked(address + at, source.get(WORD, at));
    }
    if (at < length) {
      mergeBytes(context, address, source, at);
    }
  }

  private static boolean startsWord(long address, long lengthBytes) {
    return (address & (Long.BYTES - 1)) == 0 && lengthBytes >= Long.BYTES;
  }

  /**
   * Copies the bytes of one word that the range covers from {@code at} on; returns where it ends.
   */
  private static long copyBytes(long word, long address, MemorySegment target, long at) {
    long next = at;
    do {
      int shift = (int) ((address + next) & (Long.BYTES - 1)) * Byte.SIZE;
      target.set(ValueLayout.JAVA_BYTE, next, (byte) (word >>> shift));
      next++;
    } while (next < target.byteSize() && ((address + next) & (Long.BYTES - 1)) != 0);
    return next;
  }

  /** Replaces the bytes of one word that the range covers from {@code at} on. */
  private static long mergeBytes(TxContext context, long address, MemorySegment source, long at) {
    long wordAddress = (address + at) & -Long.BYTES;
    long word = context.getUnchecked(wordAddress);
    long next = at;
    do {
      int shift = (int) ((address + next) & (Long.BYTES - 1)) * Byte.SIZE;
      long bits = (source.get(ValueLayout.JAVA_BYTE, next) & 0xFFL) << shift;
      word = (word & ~(0xFFL << shift)) | bits;
      next++;
    } while (next < source.byteSize() && ((address + next) & (Long.BYTES - 1)) != 0);
    context.putUnchecked(wordAddress, word);
    return next;
  }
}
