package io.howdah.checkpoint.recovery;

import java.util.Arrays;
import java.util.Objects;

/**
 * The pages of a region that the log touches. The words of all other pages are those of the image
 * and need no replay. It has a bit for each page up to the last touched one, independent of the
 * maximum size of the region. Changed only by the thread that opens the store; after that, any
 * thread may read it.
 */
final class TouchedPages {

  private final int pageShift;
  private final int maxWords;
  private long[] bits;

  /**
   * Creates a set of pages.
   *
   * @param pageBytes a power of two
   * @param map the initial pages, a bit for each; pages beyond the end of the region are ignored
   */
  TouchedPages(long capacityBytes, int pageBytes, long[] map) {
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
    this.maxWords = (int) ((capacityBytes >>> pageShift) / Long.SIZE) + 1;
    this.bits = Arrays.copyOf(map, Math.min(map.length, maxWords));
  }

  /** Adds the pages of a range. */
  void touch(long address, long lengthBytes) {
    long last = (address + lengthBytes - 1) >>> pageShift;
    int word = (int) Objects.checkIndex(last >>> 6, (long) maxWords);
    if (word >= bits.length) {
      bits = Arrays.copyOf(bits, Math.min(Math.max(word + 1, 2 * bits.length), maxWords));
    }
    for (long page = address >>> pageShift; page <= last; page++) {
      bits[(int) (page >>> 6)] |= 1L << page;
    }
  }

  /** Removes the pages that are completely below an address. */
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

  /** Returns whether all pages of a range are touched or, without {@code all}, any of them. */
  boolean isTouched(long address, long lengthBytes, boolean all) {
    long last =
        Math.min((address + lengthBytes - 1) >>> pageShift, (long) maxWords * Long.SIZE - 1);
    long first = address >>> pageShift;
    if (first == last) {
      return isTouched(address); // nearly all entries; a loop costs the reader of the log more
    }
    for (long page = first; page <= last; page++) {
      if (isTouched(page << pageShift) != all) {
        return !all;
      }
    }
    return all;
  }
}
