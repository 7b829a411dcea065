package io.howdah.txn.alloc;

import io.howdah.core.layout.PageLayout;

/**
 * The lengths of small blocks, and how slabs are cut into them. From 16 to 256 bytes every multiple
 * of 16; then eight to each doubling up to 16 KiB, so at most a ninth of a block is wasted. Longer
 * blocks take whole pages, at most a fifth of which is wasted.
 */
final class SizeClasses {

  /** How many classes there are. */
  static final int COUNT = 64;

  /** Length of the longest small blocks. */
  static final int MAX_LENGTH = 1 << 14;

  private static final int GRAIN = 16;
  private static final int CACHE_LINE = 64;
  private static final int LINEAR = 16; // classes that are multiples of the grain
  private static final int MAX_SLAB_PAGES = 32;
  private static final int LARGE_SLAB_PAGES = 16;

  private static final int[] LENGTHS = lengths();
  private static final byte[] CLASS_OF_GRAINS = classOfGrains();
  private static final int[][] BLOCKS = new int[COUNT][MAX_SLAB_PAGES + 1];
  private static final int[] FEW_PAGES = new int[COUNT];
  private static final int[] MANY_PAGES = new int[COUNT];

  static {
    for (int sizeClass = 0; sizeClass < COUNT; sizeClass++) {
      for (int pages = 1; pages <= MAX_SLAB_PAGES; pages++) {
        BLOCKS[sizeClass][pages] = fit(LENGTHS[sizeClass], pages * PageLayout.PAGE_BYTES);
      }
      FEW_PAGES[sizeClass] = fewestPages(sizeClass);
      MANY_PAGES[sizeClass] =
          bestPages(sizeClass, Math.max(LARGE_SLAB_PAGES, FEW_PAGES[sizeClass]));
    }
  }

  private SizeClasses() {}

  private static int[] lengths() {
    int[] lengths = new int[COUNT];
    int length = 0;
    for (int i = 0; i < COUNT; i++) {
      length += i < LINEAR ? GRAIN : Integer.highestOneBit(length) / 8;
      lengths[i] = length;
    }
    return lengths;
  }

  private static byte[] classOfGrains() {
    byte[] classes = new byte[MAX_LENGTH / GRAIN + 1];
    int sizeClass = 0;
    for (int grains = 1; grains < classes.length; grains++) {
      if (grains * GRAIN > LENGTHS[sizeClass]) {
        sizeClass++;
      }
      classes[grains] = (byte) sizeClass;
    }
    return classes;
  }

  private static int fit(int length, int bytes) {
    int blocks = bytes / length;
    while (blocks > 0 && firstBlock(length, blocks) + blocks * length > bytes) {
      blocks--;
    }
    return blocks;
  }

  /** Returns the shortest slab that wastes no more than an eighth. */
  private static int fewestPages(int sizeClass) {
    for (int pages = 1; pages < MAX_SLAB_PAGES; pages++) {
      if (waste(sizeClass, pages) <= 0.125) {
        return pages;
      }
    }
    return MAX_SLAB_PAGES;
  }

  private static int bestPages(int sizeClass, int from) {
    int best = from;
    for (int pages = from; pages <= MAX_SLAB_PAGES; pages++) {
      if (waste(sizeClass, pages) < waste(sizeClass, best)) {
        best = pages;
      }
    }
    return best;
  }

  private static double waste(int sizeClass, int pages) {
    return 1 - (double) BLOCKS[sizeClass][pages] * LENGTHS[sizeClass] / (pages * 4096.0);
  }

  /** Behind the bitmap, so that a block lies on as few stripes and cache lines as can be. */
  private static int firstBlock(int length, int blocks) {
    int alignment = Math.min(CACHE_LINE, Integer.lowestOneBit(length));
    return ((blocks + Long.SIZE - 1) / Long.SIZE * Long.BYTES + alignment - 1) & -alignment;
  }

  /** Returns the class with the shortest blocks that are long enough, for 1 to MAX_LENGTH bytes. */
  static int of(int bytes) {
    return CLASS_OF_GRAINS[(bytes + GRAIN - 1) / GRAIN];
  }

  /** Returns the length of the blocks of a class. */
  static int length(int sizeClass) {
    return LENGTHS[sizeClass];
  }

  /** Returns how many blocks a slab has; 0 if there is no slab of so many pages. */
  static int blocks(int sizeClass, long pages) {
    return pages >= 1 && pages <= MAX_SLAB_PAGES ? BLOCKS[sizeClass][(int) pages] : 0;
  }

  /** Returns how many bytes of a slab precede its first block. */
  static int firstBlockOfSlab(int sizeClass, int blocks) {
    return firstBlock(LENGTHS[sizeClass], blocks);
  }

  /** Returns the pages of a slab of a class of which each arena has so many, on average. */
  static int slabPages(int sizeClass, int slabs) {
    return slabs < 4 ? FEW_PAGES[sizeClass] : MANY_PAGES[sizeClass];
  }

  /** Returns the pages of a slab that suits a region with little room left. */
  static int fewPages(int sizeClass) {
    return FEW_PAGES[sizeClass];
  }

  /** Returns the length of a block that was allocated with a number of bytes. */
  static long blockLength(long bytes) {
    return bytes <= MAX_LENGTH
        ? length(of((int) Math.max(1, bytes)))
        : (bytes + PageLayout.PAGE_BYTES - 1) & -PageLayout.PAGE_BYTES;
  }
}
