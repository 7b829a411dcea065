package io.howdah.txn.words;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies between the region and bytes outside of it, of any alignment. The region knows no smaller
 * unit than the word: one that a range covers in part is read for its other bytes. Addresses are
 * checked by the caller.
 */
public final class RangeAccess {

  private RangeAccess() {}

  /** Fills {@code target} with the region's bytes from {@code address} on. */
  public static void read(TxWords context, long address, MemorySegment target) {
    long length = target.byteSize();
    if (length != 0 && target.heapBase().orElse(null) instanceof byte[] array) {
      read(context, address, array, (int) target.address(), (int) length);
      return;
    }
    byte[] part = context.part();
    for (long at = 0; at < length; at += part.length) {
      int count = (int) Math.min(part.length, length - at);
      read(context, address + at, part, 0, count);
      MemorySegment.copy(part, 0, target, ValueLayout.JAVA_BYTE, at, count);
    }
  }

  /** Fills a part of an array with the region's bytes from {@code address} on. */
  public static void read(TxWords context, long address, byte[] target, int offset, int length) {
    int at = 0;
    if (length != 0 && !startsWord(address, length)) {
      at =
          copyBytes(
              context.getUnchecked(address & -Long.BYTES), address, target, offset, 0, length);
    }
    int whole = (length - at) & -Long.BYTES;
    if (whole != 0) {
      context.getRange(address + at, target, offset + at, whole / Long.BYTES);
      at += whole;
    }
    if (at < length) {
      copyBytes(context.getUnchecked(address + at), address, target, offset, at, length);
    }
  }

  /** Writes all of {@code source} to the region from {@code address} on. */
  public static void write(TxWords context, long address, MemorySegment source) {
    long length = source.byteSize();
    if (length != 0 && source.heapBase().orElse(null) instanceof byte[] array) {
      write(context, address, array, (int) source.address(), (int) length);
      return;
    }
    byte[] part = context.part();
    for (long at = 0; at < length; at += part.length) {
      int count = (int) Math.min(part.length, length - at);
      MemorySegment.copy(source, ValueLayout.JAVA_BYTE, at, part, 0, count);
      write(context, address + at, part, 0, count);
    }
  }

  /** Writes a part of an array to the region from {@code address} on. */
  public static void write(TxWords context, long address, byte[] source, int offset, int length) {
    int at = 0;
    if (length != 0 && !startsWord(address, length)) {
      at = mergeBytes(context, address, source, offset, 0, length);
    }
    int whole = (length - at) & -Long.BYTES;
    if (whole != 0) {
      context.putRange(address + at, source, offset + at, whole / Long.BYTES);
      at += whole;
    }
    if (at < length) {
      mergeBytes(context, address, source, offset, at, length);
    }
  }

  private static boolean startsWord(long address, int lengthBytes) {
    return (address & (Long.BYTES - 1)) == 0 && lengthBytes >= Long.BYTES;
  }

  /**
   * Copies the bytes of one word that the range covers from {@code at} on; returns where it ends.
   */
  private static int copyBytes(
      long word, long address, byte[] target, int offset, int at, int length) {
    int next = at;
    do {
      int shift = (int) ((address + next) & (Long.BYTES - 1)) * Byte.SIZE;
      target[offset + next] = (byte) (word >>> shift);
      next++;
    } while (next < length && ((address + next) & (Long.BYTES - 1)) != 0);
    return next;
  }

  /** Replaces the bytes of one word that the range covers from {@code at} on. */
  private static int mergeBytes(
      TxWords context, long address, byte[] source, int offset, int at, int length) {
    long wordAddress = (address + at) & -Long.BYTES;
    long word = context.getUnchecked(wordAddress);
    int next = at;
    do {
      int shift = (int) ((address + next) & (Long.BYTES - 1)) * Byte.SIZE;
      long bits = (source[offset + next] & 0xFFL) << shift;
      word = (word & ~(0xFFL << shift)) | bits;
      next++;
    } while (next < length && ((address + next) & (Long.BYTES - 1)) != 0);
    context.putUnchecked(wordAddress, word);
    return next;
  }
}
