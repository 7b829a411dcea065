package io.howdah.checkpoint.recovery;

/**
 * The pages of a region that the log touches: a word of any other page is what the image has, and
 * needs no replay. Written by the thread that opens the store; afterwards, unchanged, for any.
 */
final class TouchedPages {

  private final int pageShift;
  private final long[] bits;

  /**
   * Creates one.
   *
   * @param pageBytes a power of two
   * @param map pages that are touched from the start, a bit for each; those behind the region do
   *     not matter
   */
  TouchedPages(long capacityBytes, int pageBytes, long[] map) {
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
    this.bits = new long[(int) ((capacityBytes >>> pageShift) / Long.SIZE) + 1];
    System.arraycopy(map, 0, bits, 0, Math.min(map.length, bits.length));
  }

  /** Adds the pages of a range. */
  void touch(long address, long lengthBytes) {
    long last = (address + lengthBytes - 1) >>> pageShift;
    for (long page = address >>> pageShift; page <= last; page++) {
      bits[(int) (page >>> 6)] |= 1L << page;
    }
  }

  /** Removes the pages that lie below an address. */
  void untouchBelow(long address) {
    for (long page = 0; page < address >>> pageShift; page++) {
      bits[(int) (page >>> 6)] &= ~(1L << page);
    }
  }

  /** Returns whether the page of an address of the region is touched. */
  boolean isTouched(long address) {
    long page = address >>> pageShift;
    return (bits[(int) (page >>> 6)] & 1L << page) != 0;
  }

  /** Returns whether any, or all, of a range's pages are touched. */
  boolean isTouched(long address, long lengthBytes, boolean all) {
    long last =
        Math.min((address + lengthBytes - 1) >>> pageShift, (long) bits.length * Long.SIZE - 1);
    for (long page = address >>> pageShift; page <= last; page++) {
      if (isTouched(page << pageShift) != all) {
        return !all;
      }
    }
    return all;
  }
}
