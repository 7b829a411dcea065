package io.howdah.txn.alloc;

import io.howdah.core.Region;
import io.howdah.core.engine.HeapArrays;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of one store share: hints where free space is, and the slab that each arena
 * takes blocks from at present. An arena serves the transactions of some lanes, so transactions in
 * different lanes set bits in different words. Thread-safe.
 *
 * <p>After an opening the hints are empty. They are found again by a scan over the page descriptors
 * that goes on a stretch at a time, whenever an arena needs a slab and knows of none.
 */
public final class Heap {

  private static final int MAX_ARENAS = 64;
  private static final int SCAN_PAGES = 1 << 12;

  private final Region region;
  private final RecoveredWords recovered;
  private final long capacityPages;
  private final long maxBytes;
  private final int arenas;

  final FreeRuns freeRuns;
  final PartialSlabs partialSlabs;
  final NodePages nodePages;

  private final long limitBytes;
  private final @Nullable TouchAhead ahead;

  /** First page of each arena's slab of each class; 0 for none. */
  private final AtomicLongArray current;

  /**
   * How many slabs of each class were made and not given back since the opening. It only chooses
   * lengths: attempts that do not commit count, too, and slabs from before the opening do not.
   */
  private final AtomicIntegerArray made = new AtomicIntegerArray(SizeClasses.COUNT);

  private long scanned; // guarded by this
  private long scanEnd; // guarded by this

  /**
   * Creates the heap of a store.
   *
   * @param region recovered, or zeroed
   * @param arenas how many transactions allocate without meeting
   * @param recovered asked before words of the region are read past transactions
   */
  public Heap(Region region, int arenas, RecoveredWords recovered) {
    this(region, arenas, recovered, region.capacityBytes(), null, HeapArrays.INSTANCE);
  }

  /**
   * Creates the heap of a store that was made for a region of another length.
   *
   * @param limitBytes what the store was made for
   * @param ahead is told where the top is, or null; closed by {@link #close}
   */
  public Heap(
      Region region,
      int arenas,
      RecoveredWords recovered,
      long limitBytes,
      @Nullable TouchAhead ahead) {
    this(region, arenas, recovered, limitBytes, ahead, HeapArrays.INSTANCE);
  }

  /**
   * Creates the heap of a store.
   *
   * @param memory makes arrays of a length, for hints
   */
  Heap(Region region, int arenas, RecoveredWords recovered, IntFunction<long[]> memory) {
    this(region, arenas, recovered, region.capacityBytes(), null, memory);
  }

  private Heap(
      Region region,
      int arenas,
      RecoveredWords recovered,
      long limitBytes,
      @Nullable TouchAhead ahead,
      IntFunction<long[]> memory) {
    this.freeRuns = new FreeRuns(memory);
    this.partialSlabs = new PartialSlabs(memory);
    this.region = region;
    this.limitBytes = limitBytes;
    this.ahead = ahead;
    this.recovered = recovered;
    // From now on the header is there.
    recovered.require(0, RegionHeaderLayout.BLOCKS_ADDRESS);
    if (ahead != null) {
      ahead.begin();
    }
    this.capacityPages = region.capacityBytes() >>> PageLayout.PAGE_SHIFT;
    this.maxBytes = maxBytes(capacityPages);
    this.arenas = Math.clamp(arenas, 1, MAX_ARENAS);
    this.current = new AtomicLongArray(this.arenas * SizeClasses.COUNT);
    this.nodePages = new NodePages(this.arenas, partialSlabs);
    rescan();
  }

  /** Returns the longest block that a region of this capacity can have, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  private static long maxBytes(long capacityPages) {
    long longest = 1;
    for (long page = firstPage(); page < capacityPages; page = Pages.rangeEnd(page)) {
      long first = Pages.skipTable(page);
      longest = Math.max(longest, Math.min(Pages.rangeEnd(page), capacityPages) - first);
    }
    return longest << PageLayout.PAGE_SHIFT;
  }

  private static long firstPage() {
    return RegionHeaderLayout.BLOCKS_ADDRESS >>> PageLayout.PAGE_SHIFT;
  }

  /** Says what makes room, where nothing is freed. */
  String howToGrow() {
    return region.capacityBytes() >= limitBytes
        ? "open the store with a larger maxSize"
        : "give the process more memory or address space: this opening could map only "
            + region.capacityBytes()
            + " of the "
            + limitBytes
            + " bytes that the store was made for (maxSize), because the kernel refused more";
  }

  /** A transaction has moved the top up. */
  void reached(long top) {
    TouchAhead ahead = this.ahead;
    if (ahead != null) {
      ahead.reached(top);
    }
  }

  /** Ends what runs in the background, before the region is closed. Idempotent. */
  public void close() {
    TouchAhead ahead = this.ahead;
    if (ahead != null) {
      ahead.close();
    }
  }

  long capacityPages() {
    return capacityPages;
  }

  int arena(int home) {
    return home % arenas;
  }

  long current(int arena, int sizeClass) {
    return current.getOpaque(arena * SizeClasses.COUNT + sizeClass);
  }

  void current(int arena, int sizeClass, long page) {
    current.setOpaque(arena * SizeClasses.COUNT + sizeClass, page);
  }

  boolean isCurrent(int sizeClass, long page) {
    for (int arena = 0; arena < arenas; arena++) {
      if (current(arena, sizeClass) == page) {
        return true;
      }
    }
    return false;
  }

  /** Forgets which slabs the arenas use, so that empty ones can be given back. */
  void forgetCurrent() {
    for (int i = 0; i < current.length(); i++) {
      current.setOpaque(i, 0);
    }
  }

  /**
   * Returns the pages of the next slab of a class: few, until each arena may have some. What is
   * given back does not count, or a class with few blocks that come and go would have long slabs
   * after a while, nearly all of them free.
   */
  int nextSlabPages(int sizeClass) {
    int before = made.getAndUpdate(sizeClass, n -> n < Integer.MAX_VALUE ? n + 1 : n);
    return SizeClasses.slabPages(sizeClass, before / arenas);
  }

  /** A slab of a class was emptied, and is given back. */
  void slabGivenBack(int sizeClass) {
    made.getAndUpdate(sizeClass, n -> n > 0 ? n - 1 : 0);
  }

  /** Begins a scan that finds all free runs and all slabs with free blocks. */
  final synchronized void rescan() {
    freeRuns.clear();
    partialSlabs.clear();
    scanned = firstPage();
    scanEnd = region.getLongOpaque(RegionHeaderLayout.TOP_ADDRESS) >>> PageLayout.PAGE_SHIFT;
  }

  /**
   * Scans a stretch, racing with transactions: what it notes are hints.
   *
   * @return whether there was anything left to scan
   */
  boolean scanStretch() {
    long from = requireStretch();
    return from >= 0 && scan(from);
  }

  /**
   * Returns where the next stretch begins, with its words recovered, or -1. Without the lock: it
   * may take a while, and nobody is to wait for it who needs none of these.
   */
  private long requireStretch() {
    long from;
    long end;
    synchronized (this) {
      from = scanned;
      end = Math.min(scanEnd, from + SCAN_PAGES);
    }
    if (from >= end) {
      return -1;
    }
    // Slabs begin with their bitmaps. The descriptor of a page is in the header, or lies at or
    // before the page, in a table that no run covers: so this stretch has it, or one before.
    recovered.require(Pages.address(from), Pages.address(end - from));
    return from;
  }

  private synchronized boolean scan(long from) {
    if (scanned != from) {
      return true; // somebody else has scanned it meanwhile
    }
    long page = from;
    long end = Math.min(scanEnd, page + SCAN_PAGES);
    while (page < end) {
      long descriptor = region.getLongOpaque(PageLayout.descriptorAddress(page));
      long length = Math.max(1, PageLayout.runPages(descriptor));
      switch (PageLayout.kind(descriptor)) {
        case PageLayout.FREE -> freeRuns.add(page, length);
        case PageLayout.SLAB -> scanSlab(page, descriptor);
        case PageLayout.NODES -> nodePages.found(page, region);
        case PageLayout.LARGE -> {}
        default -> length = 1;
      }
      page += length;
    }
    scanned = page;
    return true;
  }

  private void scanSlab(long page, long descriptor) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    if (sizeClass >= SizeClasses.COUNT || isCurrent(sizeClass, page)) {
      return;
    }
    long address = page << PageLayout.PAGE_SHIFT;
    for (int left = SizeClasses.blocks(sizeClass, PageLayout.length(descriptor)); left > 0; ) {
      long full = left >= Long.SIZE ? -1L : (1L << left) - 1;
      if ((region.getLongOpaque(address) & full) != full) {
        partialSlabs.add(sizeClass, page);
        return;
      }
      left -= Long.SIZE;
      address += Long.BYTES;
    }
  }

  /** Hands over the first page of every slab that looks empty, and every such page of nodes. */
  void findEmpty(LongConsumer pages) {
    long top = region.getLongOpaque(RegionHeaderLayout.TOP_ADDRESS);
    recovered.require(0, top);
    long end = top >>> PageLayout.PAGE_SHIFT;
    long page = firstPage();
    while (page < end) {
      long descriptor = region.getLongOpaque(PageLayout.descriptorAddress(page));
      int kind = PageLayout.kind(descriptor);
      if ((kind == PageLayout.SLAB && isEmpty(page, descriptor))
          || (PageLayout.isNodes(descriptor) && PageLayout.nodesInUse(descriptor) == 0)) {
        pages.accept(page);
      }
      page +=
          kind == PageLayout.SLAB || kind == PageLayout.LARGE || kind == PageLayout.FREE
              ? Math.max(1, PageLayout.length(descriptor))
              : 1;
    }
  }

  private boolean isEmpty(long page, long descriptor) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    if (sizeClass >= SizeClasses.COUNT) {
      return false;
    }
    long address = page << PageLayout.PAGE_SHIFT;
    int left = SizeClasses.blocks(sizeClass, PageLayout.length(descriptor));
    for (; left > 0; left -= Long.SIZE, address += Long.BYTES) {
      if (region.getLongOpaque(address) != 0) {
        return false;
      }
    }
    return true;
  }

  void committed(AllocationNotes notes, int arena) {
    for (int i = 0; i < notes.count(); i++) {
      switch (notes.kind(i)) {
        case AllocationNotes.TAKEN -> {
          // A savepoint may have undone it; if so, the run is as it was.
          long descriptor = region.getLongOpaque(PageLayout.descriptorAddress(notes.page(i)));
          if (Pages.isFreeRun(descriptor, notes.argument(i))) {
            freeRuns.add(notes.page(i), notes.argument(i));
          }
        }
        case AllocationNotes.FREED -> freeRuns.add(notes.page(i), notes.argument(i));
        case AllocationNotes.PARTIAL -> {
          int sizeClass = (int) notes.argument(i);
          if (sizeClass >= SizeClasses.COUNT) {
            nodePages.found(notes.page(i), region);
          } else if (!isCurrent(sizeClass, notes.page(i))) {
            partialSlabs.add(sizeClass, notes.page(i));
          }
        }
        case AllocationNotes.NODE -> {
          if (notes.sizeClass(i) == NodePages.EMPTY) { // a savepoint may have undone its release
            nodePages.found(notes.page(i), region);
          }
        }
        case AllocationNotes.RUN ->
            nodePages.made(arena, notes.sizeClass(i), notes.page(i), notes.pages(i), region);
        default -> {}
      }
    }
  }

  void aborted(AllocationNotes notes, int arena) {
    for (int i = 0; i < notes.count(); i++) {
      int kind = notes.kind(i);
      if (kind == AllocationNotes.TAKEN) {
        freeRuns.add(notes.page(i), notes.argument(i));
      } else if (kind == AllocationNotes.NODE) {
        partialSlabs.add((int) notes.argument(i), notes.page(i));
      } else if (kind == AllocationNotes.MADE) {
        // Whoever won has perhaps made a slab of its own there. If both arenas went on with that
        // one they would lose against each other all the time, and again for the next slab.
        int sizeClass = (int) notes.argument(i);
        long page = notes.page(i);
        if (current.compareAndSet(arena * SizeClasses.COUNT + sizeClass, page, 0)
            && !isCurrent(sizeClass, page)) {
          partialSlabs.add(sizeClass, page); // the winner may have had this arena, too
        }
      } else if (kind == AllocationNotes.RUN) {
        nodePages.notMade(arena, notes.sizeClass(i), notes.page(i), notes.pages(i));
      }
    }
  }
}
