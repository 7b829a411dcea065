package io.howdah.txn.alloc;

import io.howdah.core.layout.PageLayout;
import java.util.Arrays;

/** Makes ranges of words zero, and writes only words that are not. Not thread-safe. */
final class Clearing {

  private static final int WORD_SHIFT = 3;

  /** Up to here a range is read word by word. */
  private static final int FEW_BYTES = 256;

  private static final byte[] ZEROS = new byte[PageLayout.PAGE_BYTES];

  private final HeapWords words;

  /** What was read of a long range last; made when one is cleared. */
  private byte[] part = {};

  Clearing(HeapWords words) {
    this.words = words;
  }

  /** Clears whole words: those that a range of bytes from a word's address on touches. */
  void clear(long address, long bytes) {
    long end = address + ((bytes + Long.BYTES - 1) & -Long.BYTES);
    if (bytes > FEW_BYTES) {
      clearByParts(address, end);
      return;
    }
    for (long a = address; a < end; a += Long.BYTES) {
      if (words.get(a) != 0) {
        words.put(a, 0);
      }
    }
  }

  private void clearByParts(long address, long end) {
    if (part.length == 0) {
      part = new byte[PageLayout.PAGE_BYTES];
    }
    byte[] part = this.part;
    for (long a = address; a < end; a += part.length) {
      int length = (int) Math.min(part.length, end - a);
      words.get(a, part, length >>> WORD_SHIFT);
      int at = 0;
      while (at < length) {
        int zeros = Arrays.mismatch(part, at, length, ZEROS, 0, length - at);
        if (zeros < 0) {
          break;
        }
        at = (at + zeros) & -Long.BYTES;
        words.put(a + at, 0);
        at += Long.BYTES;
      }
    }
  }
}
