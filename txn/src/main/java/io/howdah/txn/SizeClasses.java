package io.howdah.txn;

import io.howdah.core.layout.RegionHeaderLayout;

/**
 * The block lengths of {@link SizeClassAllocator}, header included. From 16 to 128 bytes every
 * multiple of 16; then four to each doubling up to 128 KiB, so at most a fifth of a block is
 * wasted; then two to each doubling up to 32 MiB, at most a third.
 */
final class SizeClasses {

  static final int COUNT = RegionHeaderLayout.FREE_LISTS;

  private static final long[] LENGTHS = lengths();

  private SizeClasses() {}

  private static long[] lengths() {
    long[] lengths = new long[COUNT];
    int at = 0;
    while (at < 8) {
      lengths[at] = 16L * ++at;
    }
    long step = 32;
    while (at < COUNT) {
      long previous = lengths[at - 1];
      if (Long.bitCount(previous) == 1) {
        step = previous < 1 << 17 ? previous / 4 : previous / 2;
      }
      lengths[at++] = previous + step;
    }
    return lengths;
  }

  /** Returns the length of the blocks of a class. */
  static long length(int sizeClass) {
    return LENGTHS[sizeClass];
  }

  /** Returns the length of the longest blocks. */
  static long maxLength() {
    return LENGTHS[COUNT - 1];
  }

  /** Returns the class with the shortest blocks that are long enough. */
  static int of(long lengthBytes) {
    int low = 0;
    int high = COUNT - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (LENGTHS[middle] < lengthBytes) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
