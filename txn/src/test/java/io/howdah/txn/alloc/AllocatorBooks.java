package io.howdah.txn.alloc;

import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * A walk over everything that the allocator keeps in a region: each page below the top belongs to
 * exactly one run or table, each run is of the form that {@link PageLayout} describes. Notes the
 * blocks in use and what is free.
 */
final class AllocatorBooks {

  private final LongUnaryOperator words;
  private final long capacityPages;

  /** Address and length of each block in use, in turn. */
  private long[] blocks = new long[256];

  private int length;
  private long hash;
  private long longestFreeRun;
  private long unusedPages;
  private final boolean[] hasFreeBlock = new boolean[SizeClasses.COUNT];

  private AllocatorBooks(LongUnaryOperator words, long capacityPages) {
    this.words = words;
    this.capacityPages = capacityPages;
  }

  /** Walks over a region as one transaction sees it. */
  static AllocatorBooks walk(LongUnaryOperator words, long capacityPages) {
    AllocatorBooks books = new AllocatorBooks(words, capacityPages);
    books.walk();
    return books;
  }

  int count() {
    return length / 2;
  }

  /** Returns the sum over all blocks in use of {@link #hash(long, long)}. */
  long hash() {
    return hash;
  }

  static long hash(long address, long lengthBytes) {
    long h = (address * 0x9E3779B97F4A7C15L) ^ (lengthBytes * 0xC2B2AE3D27D4EB4FL);
    return (h ^ (h >>> 29)) * 0xBF58476D1CE4E5B9L;
  }

  /** Returns the blocks in use as text. */
  String blocks() {
    return Arrays.toString(Arrays.copyOf(blocks, length));
  }

  /** Returns how many pages the longest free run has. */
  long longestFreeRun() {
    return longestFreeRun;
  }

  /** Returns how many pages between the top and the region's end one run could have at most. */
  long unusedPages() {
    return unusedPages;
  }

  boolean hasFreeBlock(int sizeClass) {
    return hasFreeBlock[sizeClass];
  }

  private long descriptor(long page) {
    return words.applyAsLong(PageLayout.descriptorAddress(page));
  }

  private void walk() {
    long topAddress = words.applyAsLong(RegionHeaderLayout.TOP_ADDRESS);
    require(topAddress % PageLayout.PAGE_BYTES == 0, "top", topAddress);
    long top = Pages.of(topAddress);
    require(top <= capacityPages, "top", top);
    boolean freeBefore = false;
    long firstFree = top; // or where the free run begins that ends at the top
    long page = Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS);
    while (page < top) {
      long first = Pages.skipTable(page);
      for (; page < first; page++) {
        require(descriptor(page) == 0, "descriptor of a table", page);
        freeBefore = false;
      }
      if (page == top) {
        break; // a table alone is never the end of what is used, but it may begin there
      }
      long descriptor = descriptor(page);
      long pages = PageLayout.length(descriptor);
      require(pages >= 1, "length of the run", page);
      require(page + pages <= Math.min(top, Pages.rangeEnd(page)), "end of the run", page);
      int kind = PageLayout.kind(descriptor);
      switch (kind) {
        case PageLayout.FREE -> {
          require(!freeBefore, "two free runs side by side at", page);
          longestFreeRun = Math.max(longestFreeRun, pages);
          require(
              pages == 1
                  || descriptor(page + pages - 1)
                      == PageLayout.descriptor(PageLayout.TAIL, 0, pages - 1),
              "tail of the free run",
              page);
        }
        case PageLayout.SLAB -> slab(page, descriptor);
        case PageLayout.LARGE -> block(Pages.address(page), Pages.address(pages));
        default -> require(false, "no head at", page);
      }
      freeBefore = kind == PageLayout.FREE;
      firstFree = freeBefore && page + pages == top ? page : top;
      for (long i = 1; i < pages; i++) {
        long inside = descriptor(page + i);
        int insideKind = PageLayout.kind(inside);
        require(
            insideKind == PageLayout.TAIL || insideKind == PageLayout.NONE,
            "head inside of a run",
            page + i);
        require(
            kind != PageLayout.SLAB || inside == PageLayout.descriptor(PageLayout.TAIL, 0, i),
            "tail of the slab",
            page + i);
      }
      page += pages;
    }
    for (page = firstFree; page < capacityPages; page = Pages.rangeEnd(page)) {
      long end = Math.min(Pages.rangeEnd(page), capacityPages);
      unusedPages = Math.max(unusedPages, end - Pages.skipTable(page));
    }
  }

  private void slab(long page, long descriptor) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    require(sizeClass < SizeClasses.COUNT, "class of the slab", page);
    int count = SizeClasses.blocks(sizeClass, PageLayout.length(descriptor));
    require(count > 0, "blocks of the slab", page);
    int blockBytes = SizeClasses.length(sizeClass);
    long first = Pages.address(page) + SizeClasses.firstBlockOfSlab(sizeClass, count);
    for (int i = 0; i < count; i += Long.SIZE) {
      long used = words.applyAsLong(Pages.address(page) + (long) (i / Long.SIZE) * Long.BYTES);
      long all = count - i >= Long.SIZE ? -1L : (1L << (count - i)) - 1;
      require((used & ~all) == 0, "bits behind the last block of the slab", page);
      hasFreeBlock[sizeClass] |= used != all;
      for (long rest = used; rest != 0; rest &= rest - 1) {
        block(first + (long) (i + Long.numberOfTrailingZeros(rest)) * blockBytes, blockBytes);
      }
    }
  }

  private void block(long address, long lengthBytes) {
    if (length == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * length);
    }
    blocks[length] = address;
    blocks[length + 1] = lengthBytes;
    length += 2;
    hash += hash(address, lengthBytes);
  }

  private static void require(boolean condition, String what, long where) {
    if (!condition) {
      throw new AssertionError("the allocator's books are wrong: " + what + " " + where);
    }
  }
}
