package io.howdah.txn.alloc;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;

/**
 * Finds the pages of a region that no block lies in, and gathers them, while nothing else uses the
 * region. The order in which the changes become durable is the caller's (docs/protocol.md, R37):
 * {@link #giveBackEmptySlabs} may become durable at any time; {@link #endUse} only when the pages
 * that {@link #visitFreePages} shows are zeros.
 *
 * <p>Not thread-safe.
 */
public final class FreeSpace {

  private static final int SLABS_BETWEEN_NOTES = 256;
  private static final String REGION = "region";

  private final HeapWords words;
  private final Heap heap;
  private final HeapSession session;
  private int slabs;

  /**
   * Creates one.
   *
   * @param region recovered, all of it; read where {@code words} reads and writes
   */
  public FreeSpace(Region region, HeapWords words) {
    this.words = words;
    this.heap = new Heap(region, 1, (_, _) -> {});
    this.session = new HeapSession(heap, words, 0);
  }

  /** Takes stretches of pages. */
  public interface Stretches {

    /** Takes a stretch. */
    void accept(long firstPage, long pages);
  }

  /** Makes the pages of each slab, and each page of nodes, without one in use a free run. */
  public void giveBackEmptySlabs() {
    heap.findEmpty(
        page -> {
          session.releaseIfEmpty(page);
          if (++slabs % SLABS_BETWEEN_NOTES == 0) {
            session.committed(); // forgets what it would take back if the transaction aborted
          }
        });
    session.committed();
  }

  /**
   * Shows every stretch of whole pages below the top that holds neither a part of a block in use
   * nor anything that the allocator reads, and that may hold words that are not zero. In the order
   * of addresses.
   *
   * @throws CorruptStoreException if a descriptor contradicts others
   */
  public void visitFreePages(Stretches stretches) {
    walk(
        (page, descriptor) -> {
          if (PageLayout.kind(descriptor) == PageLayout.SLAB) {
            visitSlab(page, descriptor, stretches);
          } else if (PageLayout.kind(descriptor) == PageLayout.FREE
              && !isNeverWritten(descriptor)) {
            stretches.accept(page, PageLayout.length(descriptor));
          }
        });
  }

  private static boolean isNeverWritten(long descriptor) {
    return PageLayout.sizeClass(descriptor) == PageLayout.NEVER_WRITTEN;
  }

  private void visitSlab(long page, long descriptor, Stretches stretches) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    long length = PageLayout.length(descriptor);
    int blocks = sizeClass < SizeClasses.COUNT ? SizeClasses.blocks(sizeClass, length) : 0;
    if (blocks == 0) {
      throw damaged(page, "it is a slab of an impossible class or length");
    }
    int blockBytes = SizeClasses.length(sizeClass);
    int first = SizeClasses.firstBlockOfSlab(sizeClass, blocks);
    long bitmap = Pages.address(page);
    long inUse = pagesOf(0, first);
    for (int i = 0; i < blocks; i++) {
      long used = words.get(bitmap + (long) (i / Long.SIZE) * Long.BYTES);
      if (used == 0) {
        i |= Long.SIZE - 1;
      } else if ((used & 1L << i) != 0) {
        inUse |= pagesOf(first + i * blockBytes, blockBytes);
      }
    }
    for (int from = 0; from < length; ) {
      int to = from;
      while (to < length && (inUse & 1L << to) == 0) {
        to++;
      }
      if (to > from) {
        stretches.accept(page + from, to - from);
      }
      from = to + 1;
    }
  }

  /** Returns a bit for each page of a slab that a range of its bytes touches. */
  private static long pagesOf(int offset, int bytes) {
    int from = offset >>> PageLayout.PAGE_SHIFT;
    int last = (offset + bytes - 1) >>> PageLayout.PAGE_SHIFT;
    return (-1L << from) & (-1L >>> (Long.SIZE - 1 - last));
  }

  /**
   * Lowers the top to the end of the last run that is in use, and has the free runs below it say
   * that their words were never written. Both say that pages read as zeros, so they may become
   * durable only when the pages are.
   *
   * @return the new top, an address
   */
  public long endUse() {
    walk(
        (page, descriptor) -> {
          if (PageLayout.kind(descriptor) == PageLayout.FREE && !isNeverWritten(descriptor)) {
            words.put(
                PageLayout.descriptorAddress(page),
                PageLayout.descriptor(
                    PageLayout.FREE, PageLayout.NEVER_WRITTEN, PageLayout.length(descriptor)));
          }
        });
    long old = Pages.of(words.get(RegionHeaderLayout.TOP_ADDRESS));
    long top = old;
    for (long lower = below(top); lower != top; lower = below(top)) {
      top = lower;
    }
    // Above the top there are no descriptors, and of the tables there nothing but zeros.
    for (long page = top; page < old; page++) {
      long at = PageLayout.descriptorAddress(page);
      if (words.get(at) != 0) {
        words.put(at, 0);
      }
    }
    if (top != old) {
      words.put(RegionHeaderLayout.TOP_ADDRESS, Pages.address(top));
    }
    return Pages.address(top);
  }

  /** Returns where the free run or the table of descriptors begins that ends at a page. */
  private long below(long page) {
    long run = session.freeRunBefore(page);
    if (run != 0) {
      return run;
    }
    long table = Long.highestOneBit(page - 1);
    return table >= PageLayout.HEADER_PAGES && table + PageLayout.tablePages(table) == page
        ? table
        : page;
  }

  private interface Runs {
    void accept(long page, long descriptor);
  }

  /** Shows each run, and holds it to its place: the space of a damaged one is not free. */
  private void walk(Runs runs) {
    long end = Pages.of(words.get(RegionHeaderLayout.TOP_ADDRESS));
    if (end > heap.capacityPages()) {
      throw damaged(0, "the top, page " + end + ", is above the end, page " + heap.capacityPages());
    }
    long page = Pages.skipTable(Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS));
    while (page < end) {
      long descriptor = words.get(PageLayout.descriptorAddress(page));
      long length = PageLayout.runPages(descriptor);
      int kind = PageLayout.kind(descriptor);
      boolean isRun =
          kind == PageLayout.FREE
              || kind == PageLayout.SLAB
              || kind == PageLayout.LARGE
              || PageLayout.isNodes(descriptor);
      if (!isRun || length == 0 || length > Math.min(end, Pages.rangeEnd(page)) - page) {
        throw damaged(page, "no run of pages that ends before the next table begins there");
      }
      runs.accept(page, descriptor);
      page = Pages.skipTable(page + length);
    }
  }

  private static CorruptStoreException damaged(long page, String problem) {
    return new CorruptStoreException(
        REGION,
        PageLayout.descriptorAddress(page),
        "the descriptor of page "
            + page
            + " is damaged: "
            + problem
            + "; verify the store, and restore it from a backup");
  }
}
