package io.howdah.txn.alloc;

import io.howdah.core.Region;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Hints where free nodes are, shared by all sessions of a store: the pages that each arena takes
 * nodes from at present, and other pages that may have a free node, or none in use. Each page has
 * its own descriptor, so a hint that is wrong costs a look. Thread-safe.
 *
 * <p>An arena gets several pages side by side. Their descriptors are then in few stripes, and those
 * of other arenas in others.
 */
final class NodePages {

  /** Number of classes of {@link PartialSlabs}: of blocks, of nodes, of pages without nodes. */
  static final int CLASSES = SizeClasses.COUNT + NodeLayout.SIZES + 1;

  /** The class of pages without nodes in use. */
  static final int EMPTY = SizeClasses.COUNT + NodeLayout.SIZES;

  /** Number of pages without nodes that are kept for new nodes. */
  private static final int KEPT_EMPTY = 64;

  private static final int MAX_RUN = 16;
  private static final int COUNT_SHIFT = 48;
  private static final long PAGE_MASK = (1L << COUNT_SHIFT) - 1;

  /** Each arena's run of pages for nodes of each length: number of pages, first page. */
  private final AtomicLongArray current;

  /**
   * How many runs of pages of each length were made since the opening; it only chooses run lengths.
   */
  private final AtomicIntegerArray made = new AtomicIntegerArray(NodeLayout.SIZES);

  private final int arenas;
  private final PartialSlabs partial;

  NodePages(int arenas, PartialSlabs partial) {
    this.arenas = arenas;
    this.partial = partial;
    this.current = new AtomicLongArray(arenas * NodeLayout.SIZES);
  }

  /** Returns the class of nodes with a size code, behind those of blocks. */
  static int classOf(int code) {
    return SizeClasses.COUNT + code;
  }

  /** Returns the bit of a node in the descriptor of its page. */
  static int bit(long node) {
    int offset = (int) (NodeLayout.address(node) & PageLayout.PAGE_BYTES - 1);
    return 1 << (offset / NodeLayout.bytes(node));
  }

  /**
   * Returns the page of an arena after {@code page}, or the first one after 0; 0 if there is none.
   * The pages before it were full, and are not returned again.
   */
  long next(int arena, int code, long page) {
    int slot = arena * NodeLayout.SIZES + code;
    long run = current.getOpaque(slot);
    long first = run & PAGE_MASK;
    long count = run >>> COUNT_SHIFT;
    if (count == 0) {
      return 0;
    }
    if (page == 0) {
      return first;
    }
    if (page < first || page >= first + count) {
      return first; // another session has moved on, maybe to another run
    }
    long past = page + 1 - first;
    if (past == count) {
      current.compareAndSet(slot, run, 0);
      return 0;
    }
    current.compareAndSet(slot, run, (count - past) << COUNT_SHIFT | page + 1);
    return page + 1;
  }

  /** Gives an arena a run of pages. What is left of its former run becomes hints. */
  void use(int arena, int code, long page, long pages) {
    long former = current.getAndSet(arena * NodeLayout.SIZES + code, pages << COUNT_SHIFT | page);
    long first = former & PAGE_MASK;
    for (long i = 0; i < former >>> COUNT_SHIFT; i++) {
      partial.add(classOf(code), first + i);
    }
  }

  /**
   * A transaction that has made a run of pages has committed. Those that its arena does not have
   * any more become hints: another transaction may have come upon them before the commit.
   */
  void made(int arena, int sizeClass, long page, long pages, Region region) {
    long run = current.getOpaque(arena * NodeLayout.SIZES + sizeClass - SizeClasses.COUNT);
    long first = run & PAGE_MASK;
    long end = first + (run >>> COUNT_SHIFT);
    for (long i = page; i < page + pages; i++) {
      if (i < first || i >= end) {
        found(i, region);
      }
    }
  }

  /** A transaction that has made a run of pages has not committed: its arena forgets them. */
  void notMade(int arena, int sizeClass, long page, long pages) {
    int slot = arena * NodeLayout.SIZES + sizeClass - SizeClasses.COUNT;
    long run = current.getOpaque(slot);
    long first = run & PAGE_MASK;
    if (first >= page && first < page + pages) {
      current.compareAndSet(slot, run, 0);
    }
  }

  /** Returns the number of pages of an arena's next run: few until each arena may have some. */
  int nextPages(int code) {
    int before = made.getAndUpdate(code, n -> n < Integer.MAX_VALUE ? n + 1 : n);
    return Math.clamp(Integer.highestOneBit(before / arenas + 1), 1, MAX_RUN);
  }

  /** Takes out a page that may have a free node of a length; 0 if none is known. */
  long poll(int code) {
    return partial.poll(classOf(code));
  }

  /** Takes out a page that may have no node in use; 0 if none is known. */
  long pollEmpty() {
    return partial.poll(EMPTY);
  }

  /** Returns whether more pages without nodes may be there than are kept for new nodes. */
  boolean hasManyEmpty() {
    return partial.count(EMPTY) > KEPT_EMPTY;
  }

  /** Looks at a page, which becomes a hint if a node of it is free, or all are. */
  void found(long page, Region region) {
    long descriptor = region.getLongOpaque(PageLayout.descriptorAddress(page));
    if (!PageLayout.isNodes(descriptor)) {
      return;
    }
    int code = PageLayout.sizeClass(descriptor);
    if (PageLayout.nodesInUse(descriptor) != PageLayout.allNodes(code)) {
      partial.add(classOf(code), page);
    }
    if (PageLayout.nodesInUse(descriptor) == 0) {
      partial.add(EMPTY, page);
    }
  }
}
