package io.howdah.txn.words;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies bytes between the region and other memory, at any alignment. The region is accessed by
 * words only. A write to a part of a word therefore reads the word first, for its other bytes. The
 * caller checks addresses.
 */
public final class RangeAccess {

  private RangeAccess() {}

  /** Fills {@code target} with the region's bytes from {@code address} on. */
  public static void read(Words words, long address, MemorySegment target) {
    long length = target.byteSize();
    if (length != 0 && target.heapBase().orElse(null) instanceof byte[] array) {
      read(words, address, array, (int) target.address(), (int) length);
      return;
    }
    byte[] part = words.part();
    for (long at = 0; at < length; at += part.length) {
      int count = (int) Math.min(part.length, length - at);
      read(words, address + at, part, 0, count);
      MemorySegment.copy(part, 0, target, ValueLayout.JAVA_BYTE, at, count);
    }
  }

  /** Fills a part of an array with the region's bytes from {@code address} on. */
  public static void read(Words words, long address, byte[] target, int offset, int length) {
    int at = 0;
    if (length != 0 && !startsWord(address, length)) {
      at = copyBytes(words.getUnchecked(address & -Long.BYTES), address, target, offset, 0, length);
    }
    int whole = (length - at) & -Long.BYTES;
    if (whole != 0) {
      words.getRange(address + at, target, offset + at, whole / Long.BYTES);
      at += whole;
    }
    if (at < length) {
      copyBytes(words.getUnchecked(address + at), address, target, offset, at, length);
    }
  }

  /** Writes all of {@code source} to the region from {@code address} on. */
  public static void write(Words words, long address, MemorySegment source) {
    long length = source.byteSize();
    if (length != 0 && source.heapBase().orElse(null) instanceof byte[] array) {
      write(words, address, array, (int) source.address(), (int) length);
      return;
    }
    byte[] part = words.part();
    for (long at = 0; at < length; at += part.length) {
      int count = (int) Math.min(part.length, length - at);
      MemorySegment.copy(source, ValueLayout.JAVA_BYTE, at, part, 0, count);
      write(words, address + at, part, 0, count);
    }
  }

  /** Writes a part of an array to the region from {@code address} on. */
  public static void write(Words words, long address, byte[] source, int offset, int length) {
    int at = 0;
    if (length != 0 && !startsWord(address, length)) {
      at = mergeBytes(words, address, source, offset, 0, length);
    }
    int whole = (length - at) & -Long.BYTES;
    if (whole != 0) {
      words.putRange(address + at, source, offset + at, whole / Long.BYTES);
      at += whole;
    }
    if (at < length) {
      mergeBytes(words, address, source, offset, at, length);
    }
  }

  private static boolean startsWord(long address, int lengthBytes) {
    return (address & (Long.BYTES - 1)) == 0 && lengthBytes >= Long.BYTES;
  }

  /** Copies the bytes of one word that the range covers from {@code at} on; returns their end. */
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
      Words words, long address, byte[] source, int offset, int at, int length) {
    long wordAddress = (address + at) & -Long.BYTES;
    long word = words.getUnchecked(wordAddress);
    int next = at;
    do {
      int shift = (int) ((address + next) & (Long.BYTES - 1)) * Byte.SIZE;
      long bits = (source[offset + next] & 0xFFL) << shift;
      word = (word & ~(0xFFL << shift)) | bits;
      next++;
    } while (next < length && ((address + next) & (Long.BYTES - 1)) != 0);
    words.putUnchecked(wordAddress, word);
    return next;
  }
}
