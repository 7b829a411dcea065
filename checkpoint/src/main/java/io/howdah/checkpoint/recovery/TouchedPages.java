package io.howdah.checkpoint.recovery;

import java.util.Arrays;
import java.util.Objects;

/**
 * The pages of a region that the log touches: a word of any other page is what the image has, and
 * needs no replay. Takes a bit for each page below the last one that is touched, however large the
 * region may become. Written by the thread that opens the store; afterwards, unchanged, for any.
 */
final class TouchedPages {

  private final int pageShift;
  private final int mostWords;
  private long[] bits;

  /**
   * Creates one.
   *
   * @param pageBytes a power of two
   * @param map pages that are touched from the start, a bit for each; those behind the region do
   *     not matter
   */
  TouchedPages(long capacityBytes, int pageBytes, long[] map) {
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
    this.mostWords = (int) ((capacityBytes >>> pageShift) / Long.SIZE) + 1;
    this.bits = Arrays.copyOf(map, Math.min(map.length, mostWords));
  }

  /** Adds the pages of a range. */
  void touch(long address, long lengthBytes) {
    long last = (address + lengthBytes - 1) >>> pageShift;
    int word = (int) Objects.checkIndex(last >>> 6, (long) mostWords);
    if (word >= bits.length) {
      bits = Arrays.copyOf(bits, Math.min(Math.max(word + 1, 2 * bits.length), mostWords));
    }
    for (long page = address >>> pageShift; page <= last; page++) {
      bits[(int) (page >>> 6)] |= 1L << page;
    }
  }

  /** Removes the pages that lie below an address. */
  void untouchBelow(long address) {
    long end = Math.min(address >>> pageShift, (long) bits.length * Long.SIZE);
    for (long page = 0; page < end; page++) {
      bits[(int) (page >>> 6)] &= ~(1L << page);
    }
  }

  /** Returns whether the page of an address of the region is touched. */
  boolean isTouched(long address) {
    long page = address >>> pageShift;
    int word = (int) (page >>> 6);
    return word < bits.length && (bits[word] & 1L << page) != 0;
  }

  /** Returns whether any, or all, of a range's pages are touched. */
  boolean isTouched(long address, long lengthBytes, boolean all) {
    long last =
        Math.min((address + lengthBytes - 1) >>> pageShift, (long) mostWords * Long.SIZE - 1);
    for (long page = address >>> pageShift; page <= last; page++) {
      if (isTouched(page << pageShift) != all) {
        return !all;
      }
    }
    return all;
  }
}
