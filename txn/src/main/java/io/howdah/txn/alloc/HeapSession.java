package io.howdah.txn.alloc;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;

/**
 * Allocates and frees for one transaction at a time. A block up to 16 KiB comes from a slab of its
 * size class: taking it sets one bit of the slab's bitmap, giving it back clears that bit, and
 * nothing else is written or logged. Longer blocks are runs of whole pages. Free runs are split and
 * merged with both neighbours; a slab whose last block is freed becomes a free run again.
 *
 * <p>Whoever tells this class that its transaction has ended, by {@link #committed} or {@link
 * #aborted}, keeps the hints of {@link Heap} good.
 *
 * <p>Not thread-safe.
 */
public final class HeapSession {

  private static final int STRETCHES_PER_SLAB = 2;

  /** Maximum number of pages that the free of one node gives back. */
  private static final int RELEASED_AT_ONCE = 2;

  private static final long WORD_BYTES = Long.BYTES;

  private final Heap heap;
  private final HeapWords words;
  private final int arena;
  private final Clearing clearing;
  private final BlockLookup lookup;
  private final AllocationNotes notes = new AllocationNotes();

  /** Slab in which each class was served last, and the bitmap word. */
  private final long[] lastSlab = new long[SizeClasses.COUNT];

  private final int[] lastWord = new int[SizeClasses.COUNT];

  /** How many blocks that slab has, as the transaction with this {@link #reading} has read. */
  private final int[] lastBlocks = new int[SizeClasses.COUNT];

  private final long[] lastReading = new long[SizeClasses.COUNT];

  /** Changes when descriptors have to be read again: with each transaction, for one. */
  private long reading = 1;

  /** Whether the run taken last has never been used, so that it reads as zeros. */
  private boolean fresh;

  /**
   * Creates one.
   *
   * @param home any number from 0 on; sessions with equal ones may meet in slabs
   */
  public HeapSession(Heap heap, HeapWords words, int home) {
    this.heap = heap;
    this.words = words;
    this.clearing = new Clearing(words);
    this.lookup = new BlockLookup(words, heap.capacityPages());
    this.arena = heap.arena(home);
  }

  /** The transaction has committed. */
  public void committed() {
    reading++;
    if (!notes.isEmpty()) {
      try {
        heap.committed(notes, arena);
      } catch (OutOfMemoryError | StackOverflowError e) {
        // Hints are lost, and found again by the next full scan. A fault of memory is no such
        // error: it may have come late, from a store of the commit.
      } finally {
        notes.clear(); // or a later transaction would take them for its own
      }
    }
  }

  /** The transaction has ended otherwise, or will run again. */
  public void aborted() {
    reading++;
    if (!notes.isEmpty()) {
      try {
        heap.aborted(notes, arena);
      } catch (VirtualMachineError e) {
        // Hints are lost, as above.
      } finally {
        notes.clear();
      }
    }
  }

  /** The transaction has gone back to a savepoint, and goes on. */
  public void rolledBack() {
    reading++;
    notes.rolledBack();
  }

  // ---- Allocation.

  /**
   * Returns the address of a block that reads as zeros, divisible by 16.
   *
   * @param bytes 1 to {@link Heap#maxBytes}
   * @throws RegionFullException if there is no room; the transaction has ended
   */
  public long allocate(long bytes) {
    long address = allocateUncleared(bytes);
    if (!fresh) {
      clearing.clear(address, bytes);
    }
    return address;
  }

  /**
   * Returns the address of a block with any contents, divisible by 16: for those who write all of
   * it, or know what they have written.
   */
  public long allocateUncleared(long bytes) {
    if (bytes < 1 || bytes > heap.maxBytes()) {
      throw new IllegalArgumentException(
          bytes < 1
              ? "a block has 1 to " + heap.maxBytes() + " bytes, not " + bytes
              : "%d bytes do not fit into this store at once: the longest block has %d, about half of"
                      .formatted(bytes, heap.maxBytes())
                  + " maxSize; store it in parts, or "
                  + heap.howToGrow());
    }
    long address = take(bytes);
    if (address == 0) {
      throw fullForBlock(bytes);
    }
    return address;
  }

  /** Likewise, but returns 0 if there is no room: for those who can do without. */
  public long allocateUnclearedIfRoom(long bytes) {
    return bytes > heap.maxBytes() ? 0 : take(bytes);
  }

  private long take(long bytes) {
    return bytes <= SizeClasses.MAX_LENGTH ? small(SizeClasses.of((int) bytes)) : large(bytes);
  }

  private long small(int sizeClass) {
    fresh = false;
    long page = heap.current(arena, sizeClass);
    while (true) {
      if (page != 0) {
        long address = takeBlock(page, sizeClass);
        if (address != 0) {
          return address;
        }
      }
      page = nextSlab(sizeClass);
      if (page == 0) {
        return takeLastBlock(sizeClass);
      }
      heap.current(arena, sizeClass, page);
    }
  }

  /** Takes a block of a slab; returns 0 if that is full, or no slab of the class after all. */
  private long takeBlock(long page, int sizeClass) {
    int blocks = blocks(page, sizeClass);
    if (blocks == 0) {
      return 0;
    }
    long bitmap = Pages.address(page);
    int bitmapWords = (blocks + Long.SIZE - 1) / Long.SIZE;
    int first = lastSlab[sizeClass] == page ? lastWord[sizeClass] : 0;
    if (first >= bitmapWords) {
      first = 0; // that was another slab at this page, a longer one
    }
    for (int i = 0; i < bitmapWords; i++) {
      int at = first + i < bitmapWords ? first + i : first + i - bitmapWords;
      int left = blocks - at * Long.SIZE;
      long all = left >= Long.SIZE ? -1L : (1L << left) - 1;
      long used = words.get(bitmap + at * WORD_BYTES);
      long free = ~used & all;
      if (free != 0) {
        int bit = Long.numberOfTrailingZeros(free);
        words.put(bitmap + at * WORD_BYTES, used | 1L << bit);
        lastSlab[sizeClass] = page;
        lastWord[sizeClass] = at;
        lastBlocks[sizeClass] = blocks;
        lastReading[sizeClass] = reading;
        return bitmap
            + SizeClasses.firstBlockOfSlab(sizeClass, blocks)
            + (long) (at * Long.SIZE + bit) * SizeClasses.length(sizeClass);
      }
    }
    return 0;
  }

  /** Returns how many blocks a slab has; 0 if there is no slab of the class. */
  private int blocks(long page, int sizeClass) {
    if (lastSlab[sizeClass] == page && lastReading[sizeClass] == reading) {
      return lastBlocks[sizeClass];
    }
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    if (PageLayout.kind(descriptor) != PageLayout.SLAB
        || PageLayout.sizeClass(descriptor) != sizeClass) {
      return 0;
    }
    return SizeClasses.blocks(sizeClass, PageLayout.length(descriptor));
  }

  private long nextSlab(int sizeClass) {
    long page = heap.partialSlabs.poll(sizeClass);
    for (int i = 0; page == 0 && i < STRETCHES_PER_SLAB && heap.scanStretch(); i++) {
      page = heap.partialSlabs.poll(sizeClass);
    }
    return page != 0 ? page : newSlab(sizeClass);
  }

  /** Makes a slab; returns 0 if no free run is known that has room for one. */
  private long newSlab(int sizeClass) {
    long pages = heap.nextSlabPages(sizeClass);
    long page = takeRun(pages);
    return page == 0 ? 0 : makeSlab(page, sizeClass, pages);
  }

  private long makeSlab(long page, int sizeClass, long pages) {
    put(page, PageLayout.SLAB, sizeClass, pages);
    for (long i = 1; i < pages; i++) {
      put(page + i, PageLayout.TAIL, 0, i);
    }
    if (fresh) {
      for (long i = 0; i < pages; i++) {
        words.prepare(Pages.address(page + i));
      }
    } else {
      int blocks = SizeClasses.blocks(sizeClass, pages);
      clearing.clear(Pages.address(page), (blocks + Long.SIZE - 1) / Long.SIZE * WORD_BYTES);
    }
    fresh = false;
    notes.add(AllocationNotes.MADE, page, sizeClass);
    return page;
  }

  /** Takes a block when hints lead to none: looks at every page; returns 0 if there is none. */
  private long takeLastBlock(int sizeClass) {
    long pages = SizeClasses.fewPages(sizeClass);
    scanAll();
    long address = takeHintedBlock(sizeClass);
    if (address != 0) {
      return address;
    }
    long page = takeAnyRun(pages);
    if (page == 0) {
      heap.forgetCurrent();
      scanAll(); // also those slabs that were in use by an arena
      address = takeHintedBlock(sizeClass);
      if (address != 0) {
        return address;
      }
      releaseEmpty();
      page = takeAnyRun(pages);
    }
    if (page == 0) {
      return 0;
    }
    heap.current(arena, sizeClass, makeSlab(page, sizeClass, pages));
    return takeBlock(page, sizeClass);
  }

  /** Takes a block of any slab of a class that is known; returns 0 if all are full. */
  private long takeHintedBlock(int sizeClass) {
    for (int i = 0; i < notes.count(); i++) {
      if (notes.isSlab(i) && notes.argument(i) == sizeClass) { // only this transaction sees it
        long address = takeBlock(notes.page(i), sizeClass);
        if (address != 0) {
          heap.current(arena, sizeClass, notes.page(i));
          return address;
        }
      }
    }
    // Each is taken out and not put back, so this comes to an end, though slabs that this
    // transaction has filled look free to others.
    for (long page = heap.partialSlabs.poll(sizeClass);
        page != 0;
        page = heap.partialSlabs.poll(sizeClass)) {
      long address = takeBlock(page, sizeClass);
      if (address != 0) {
        heap.current(arena, sizeClass, page);
        return address;
      }
    }
    return 0;
  }

  private long large(long bytes) {
    long pages = (bytes + PageLayout.PAGE_BYTES - 1) >>> PageLayout.PAGE_SHIFT;
    long page = takeRun(pages);
    if (page == 0) {
      scanAll();
      page = takeAnyRun(pages);
    }
    if (page == 0) {
      heap.forgetCurrent();
      releaseEmpty();
      page = takeAnyRun(pages);
    }
    if (page == 0) {
      return 0;
    }
    put(page, PageLayout.LARGE, 0, pages);
    return Pages.address(page);
  }

  // ---- Nodes.

  /**
   * Returns the reference of a node with any contents ({@link NodeLayout}).
   *
   * @param bytes 1024, 2048 or 4096
   * @throws RegionFullException if there is no room; the transaction has ended
   */
  public long allocateNode(int bytes) {
    int code = NodeLayout.code(bytes);
    long node = takeNode(code);
    if (node == 0) {
      throw full("a node of " + bytes, "page");
    }
    words.addNode(node);
    return node;
  }

  /** Likewise, but returns 0 if there is no room: for those who can do without. */
  public long allocateNodeIfRoom(int bytes) {
    long node = takeNode(NodeLayout.code(bytes));
    if (node != 0) {
      words.addNode(node);
    }
    return node;
  }

  private long takeNode(int code) {
    NodePages pages = heap.nodePages;
    long own = pages.next(arena, code, 0);
    while (own != 0 && isOfNodes(own, code)) { // another transaction may be about to make it
      long node = takeNode(own, code);
      if (node != 0) {
        return node;
      }
      own = pages.next(arena, code, own);
    }
    for (int i = 0; ; i++) {
      for (long page = pages.poll(code); page != 0; page = pages.poll(code)) {
        notes.add(AllocationNotes.NODE, page, NodePages.classOf(code)); // also if the next fails
        long node = takeNode(page, code);
        if (node != 0) {
          pages.use(arena, code, page, 1);
          return node;
        }
      }
      if (i == STRETCHES_PER_SLAB || !heap.scanStretch()) {
        break;
      }
    }
    long run = pages.nextPages(code);
    long page = takeRun(run);
    return page != 0 ? takeNodeOfNew(page, run, code) : takeLastNode(code);
  }

  private boolean isOfNodes(long page, int code) {
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    return PageLayout.isNodes(descriptor) && PageLayout.sizeClass(descriptor) == code;
  }

  /** Takes a node of a page; returns 0 if there is none that is free. */
  private long takeNode(long page, int code) {
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    if (!PageLayout.isNodes(descriptor) || PageLayout.sizeClass(descriptor) != code) {
      return 0;
    }
    int inUse = PageLayout.nodesInUse(descriptor);
    int free = PageLayout.allNodes(code) & ~inUse;
    if (free == 0) {
      return 0;
    }
    int bit = Integer.lowestOneBit(free);
    putNodes(page, code, inUse | bit);
    notes.add(AllocationNotes.NODE, page, NodePages.classOf(code));
    int bytes = NodeLayout.bytesOf(code);
    return NodeLayout.reference(
        Pages.address(page) + (long) Integer.numberOfTrailingZeros(bit) * bytes, bytes);
  }

  private void putNodes(long page, int code, int inUse) {
    words.put(PageLayout.descriptorAddress(page), PageLayout.nodesDescriptor(code, inUse));
  }

  /** Makes a run that was taken pages of nodes, and takes the first node. */
  private long takeNodeOfNew(long page, long pages, int code) {
    boolean isNeverWritten = fresh;
    fresh = false;
    for (long i = 0; i < pages; i++) {
      putNodes(page + i, code, 0);
      if (isNeverWritten) {
        words.prepare(Pages.address(page + i));
      } else {
        words.guardPage(Pages.address(page + i));
      }
    }
    notes.addRun(page, NodePages.classOf(code), pages);
    heap.nodePages.use(arena, code, page, pages);
    return takeNode(page, code);
  }

  /** Takes a node when hints lead to none: looks at every page; returns 0 if there is none. */
  private long takeLastNode(int code) {
    scanAll();
    for (long page = heap.nodePages.poll(code); page != 0; page = heap.nodePages.poll(code)) {
      long node = takeNode(page, code);
      if (node != 0) {
        heap.nodePages.use(arena, code, page, 1);
        return node;
      }
    }
    for (int i = 0; i < notes.count(); i++) {
      if (notes.isSlab(i) && notes.sizeClass(i) == NodePages.classOf(code)) {
        for (long p = notes.page(i); p < notes.page(i) + notes.pages(i); p++) {
          long node = takeNode(p, code); // only this transaction sees it
          if (node != 0) {
            return node;
          }
        }
      }
    }
    long page = takeAnyRun(1);
    if (page == 0) {
      heap.forgetCurrent();
      releaseEmpty();
      page = takeAnyRun(1);
    }
    return page == 0 ? 0 : takeNodeOfNew(page, 1, code);
  }

  /**
   * Gives a node back, and makes its first word {@link NodeLayout#DEAD} under its orec: a
   * transaction that has read the node then finds that it has changed (docs/protocol.md, R40).
   *
   * @throws InvalidAddressException if the reference is not that of a node in use; the transaction
   *     has ended
   */
  public void freeNode(long node) {
    if (!isNode(node)) {
      throw notABlock(node, "no node in use has this reference");
    }
    int code = NodeLayout.code(node);
    long page = Pages.of(NodeLayout.address(node));
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    words.putNode(node, NodeLayout.DEAD);
    putNodes(page, code, PageLayout.nodesInUse(descriptor) & ~NodePages.bit(node));
    notes.add(AllocationNotes.PARTIAL, page, NodePages.classOf(code));
    releaseNodePages();
  }

  /** Returns whether a reference, any number, is that of a node in use. */
  public boolean isNode(long node) {
    if (!NodeLayout.isPossible(node, Pages.address(heap.capacityPages()))) {
      return false;
    }
    long page = Pages.of(NodeLayout.address(node));
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    return PageLayout.isNodes(descriptor)
        && PageLayout.sizeClass(descriptor) == NodeLayout.code(node)
        && (PageLayout.nodesInUse(descriptor) & NodePages.bit(node)) != 0;
  }

  /** Makes a few pages without nodes free, if more of them are known than are kept for nodes. */
  private void releaseNodePages() {
    for (int i = 0; i < RELEASED_AT_ONCE && heap.nodePages.hasManyEmpty(); i++) {
      long page = heap.nodePages.pollEmpty();
      if (page == 0) {
        return;
      }
      notes.add(AllocationNotes.NODE, page, NodePages.EMPTY);
      releaseIfEmpty(page);
    }
  }

  /**
   * Makes a page without nodes in use free. Not if this transaction has written to one of its
   * nodes: the words of a transaction's nodes are stored after its other words, so the page must
   * not get another use before the commit (docs/protocol.md, R41).
   */
  private void releaseNodePage(long page) {
    if (!words.isAnyNodeWritten(Pages.address(page))) {
      release(page, 1);
    }
  }

  // ---- Runs of pages.

  /** Takes a run from what is free, else from the top; returns 0 if neither has one. */
  private long takeRun(long pages) {
    long page = takeFreeRun(pages, false);
    return page != 0 ? page : takeFromTop(pages);
  }

  /** Likewise, and looks at all hints, which takes longer. */
  private long takeAnyRun(long pages) {
    long page = takeFreeRun(pages, true);
    page = page != 0 ? page : takeFromTop(pages);
    return page != 0 ? page : takeAcrossTop(pages);
  }

  private long takeFreeRun(long pages, boolean any) {
    for (int own = notes.takeFreed(pages); own >= 0; own = notes.takeFreed(pages)) {
      long page = notes.page(own);
      long descriptor = words.get(PageLayout.descriptorAddress(page));
      if (Pages.isFreeRun(descriptor, notes.argument(own))) { // unless that was rolled back
        return splitRun(page, descriptor, pages);
      }
    }
    while (true) {
      FreeRuns.Run run = any ? heap.freeRuns.takeAny(pages) : heap.freeRuns.take(pages);
      if (run.length() == 0) {
        return 0;
      }
      notes.add(AllocationNotes.TAKEN, run.page(), run.length()); // also if the next fails
      long descriptor = words.get(PageLayout.descriptorAddress(run.page()));
      if (Pages.isFreeRun(descriptor, run.length())) {
        return splitRun(run.page(), descriptor, pages);
      }
    }
  }

  private long splitRun(long page, long descriptor, long pages) {
    long length = PageLayout.length(descriptor);
    int writing = PageLayout.sizeClass(descriptor);
    if (length > pages) {
      putFreeRun(page + pages, length - pages, writing);
    }
    fresh = writing == PageLayout.NEVER_WRITTEN;
    return page;
  }

  /** Makes a run free whose neighbours are not. */
  private void putFreeRun(long page, long length, int writing) {
    put(page, PageLayout.FREE, writing, length);
    if (length > 1) {
      put(page + length - 1, PageLayout.TAIL, 0, length - 1);
    }
    notes.add(AllocationNotes.FREED, page, length);
  }

  private long takeFromTop(long pages) {
    long top = Pages.of(words.get(RegionHeaderLayout.TOP_ADDRESS));
    long page = Pages.skipTable(top);
    while (page + pages > Pages.rangeEnd(page)) {
      if (page >= heap.capacityPages()) {
        return 0;
      }
      page = Pages.skipTable(Pages.rangeEnd(page));
    }
    if (page + pages > heap.capacityPages()) {
      return 0;
    }
    for (long rest = Pages.skipTable(top); Pages.rangeEnd(rest) <= page; ) {
      // A run does not reach over a table, so what is left before one is free.
      if (Pages.rangeEnd(rest) > rest) {
        release(rest, Pages.rangeEnd(rest) - rest, PageLayout.NEVER_WRITTEN);
      }
      rest = Pages.skipTable(Pages.rangeEnd(rest));
    }
    moveTop(page + pages);
    fresh = true;
    return page;
  }

  /**
   * Takes a run that begins with the last free run and ends above the top; returns 0 if none is.
   */
  private long takeAcrossTop(long pages) {
    long top = Pages.of(words.get(RegionHeaderLayout.TOP_ADDRESS));
    long page = freeRunBefore(top);
    if (page == 0 || page + pages > Math.min(Pages.rangeEnd(page), heap.capacityPages())) {
      return 0;
    }
    notes.dropFreed(page);
    moveTop(page + pages);
    fresh = false;
    return page;
  }

  private void moveTop(long page) {
    words.put(RegionHeaderLayout.TOP_ADDRESS, Pages.address(page));
    heap.reached(Pages.address(page));
  }

  /** Looks at every page, for runs and slabs nobody knows of. */
  private void scanAll() {
    heap.rescan();
    while (heap.scanStretch()) {
      // Stretch by stretch, so that others get hints meanwhile.
    }
  }

  private void releaseEmpty() {
    heap.findEmpty(this::releaseIfEmpty);
    for (int i = 0, n = notes.count(); i < n; i++) {
      if (notes.isSlab(i)) { // only this transaction sees that it is empty
        for (long p = notes.page(i); p < notes.page(i) + notes.pages(i); p++) {
          releaseIfEmpty(p);
        }
      }
    }
  }

  void releaseIfEmpty(long page) {
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    if (PageLayout.kind(descriptor) == PageLayout.SLAB && lookup.isEmpty(page, descriptor)) {
      releaseSlab(page, descriptor);
    } else if (PageLayout.isNodes(descriptor) && PageLayout.nodesInUse(descriptor) == 0) {
      releaseNodePage(page);
    }
  }

  private RegionFullException fullForBlock(long bytes) {
    long pages =
        bytes <= SizeClasses.MAX_LENGTH
            ? SizeClasses.fewPages(SizeClasses.of((int) bytes))
            : (bytes + PageLayout.PAGE_BYTES - 1) >>> PageLayout.PAGE_SHIFT;
    return full("a block of " + Pages.address(pages), "stretch of that length");
  }

  private RegionFullException full(String what, String place) {
    RegionFullException exception =
        new RegionFullException(
            "no room for "
                + what
                + " bytes: "
                + words.get(RegionHeaderLayout.TOP_ADDRESS)
                + " of "
                + Pages.address(heap.capacityPages())
                + " bytes have been used, and no "
                + place
                + " is free among them; free some, or "
                + heap.howToGrow());
    return (RegionFullException) words.refuse(exception);
  }

  // ---- Freeing.

  /**
   * Gives a block back. It may be handed out again from the commit on, and by this transaction.
   *
   * @throws InvalidAddressException if the address is not that of a block in use; the transaction
   *     has ended
   */
  public void free(long address) {
    words.freesBlock();
    long page = lookup.head(address);
    long descriptor = page == 0 ? 0 : words.get(PageLayout.descriptorAddress(page));
    if (PageLayout.kind(descriptor) == PageLayout.LARGE && Pages.address(page) == address) {
      release(page, PageLayout.length(descriptor));
      return;
    }
    int block =
        PageLayout.kind(descriptor) == PageLayout.SLAB
            ? BlockLookup.block(page, descriptor, address)
            : -1;
    if (block < 0) {
      throw notABlock(address, "no block starts there");
    }
    long word = Pages.address(page) + block / Long.SIZE * WORD_BYTES;
    long used = words.get(word);
    long bit = 1L << block;
    if ((used & bit) == 0) {
      throw notABlock(address, "the block is free already");
    }
    words.put(word, used & ~bit);
    int sizeClass = PageLayout.sizeClass(descriptor);
    if (used == bit && !heap.isCurrent(sizeClass, page) && lookup.isEmpty(page, descriptor)) {
      releaseSlab(page, descriptor);
    } else {
      notes.add(AllocationNotes.PARTIAL, page, sizeClass);
    }
  }

  /** Returns whether a block in use starts at an address, any number. */
  public boolean isBlock(long address) {
    return blockBytes(address) != 0;
  }

  /** Returns how many bytes the block that starts at an address has; 0 if none in use does. */
  public long blockBytes(long address) {
    return lookup.lengthBytes(address);
  }

  /** Returns the length of the block that an allocation of a number of bytes gets. */
  public static long blockLength(long bytes) {
    return SizeClasses.blockLength(bytes);
  }

  /** Returns whether blocks allocated with two lengths in bytes are equally long. */
  public static boolean isSameBlockLength(long bytes, long other) {
    return SizeClasses.blockLength(bytes) == SizeClasses.blockLength(other);
  }

  private void releaseSlab(long page, long descriptor) {
    release(page, PageLayout.length(descriptor));
    heap.slabGivenBack(PageLayout.sizeClass(descriptor));
  }

  private void release(long page, long length) {
    release(page, length, 0);
  }

  /** Makes a run free, as one with the free runs on both of its sides. */
  private void release(long page, long length, int writing) {
    reading++;
    long first = page;
    long pages = length;
    int joined = writing;
    long after = page + length;
    if (after < heap.capacityPages() && after < Pages.rangeEnd(page)) {
      long descriptor = words.get(PageLayout.descriptorAddress(after));
      if (PageLayout.kind(descriptor) == PageLayout.FREE) {
        put(after, PageLayout.NONE, 0, 0);
        notes.dropFreed(after);
        pages += PageLayout.length(descriptor);
        joined &= PageLayout.sizeClass(descriptor);
      }
    }
    long before = freeRunBefore(page);
    if (before != 0) {
      put(page, PageLayout.NONE, 0, 0);
      notes.dropFreed(before);
      joined &= PageLayout.sizeClass(words.get(PageLayout.descriptorAddress(before)));
      pages += page - before;
      first = before;
    }
    putFreeRun(first, pages, joined);
  }

  /** Returns the head of the free run that ends where another one begins, or 0. */
  long freeRunBefore(long page) {
    if (Pages.skipTable(page - 1) != page - 1
        || page - 1 < Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS)) {
      return 0;
    }
    long descriptor = words.get(PageLayout.descriptorAddress(page - 1));
    long head = page - 1;
    if (PageLayout.kind(descriptor) == PageLayout.TAIL) {
      head -= PageLayout.length(descriptor);
      if (head < Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS)) {
        return 0;
      }
    }
    // A tail may have been left behind by an older run: only its head tells.
    long descriptorOfHead = words.get(PageLayout.descriptorAddress(head));
    return Pages.isFreeRun(descriptorOfHead, page - head) ? head : 0;
  }

  private void put(long page, int kind, int sizeClass, long length) {
    words.put(PageLayout.descriptorAddress(page), PageLayout.descriptor(kind, sizeClass, length));
  }

  private RuntimeException notABlock(long address, String problem) {
    return words.refuse(
        new InvalidAddressException("address " + address + " cannot be freed: " + problem));
  }

  // ---- Inspection.

  /** Takes what {@link #visit} finds. */
  public interface Visitor {

    /** A block in use. */
    void block(long address, long lengthBytes);

    /** A node in use. */
    default void node(long address, long lengthBytes) {
      block(address, lengthBytes);
    }

    /** Pages that are free, or cannot be used for blocks in this slab. */
    void free(long lengthBytes);

    /**
     * A part of what {@link #free} was told: a run of pages that no block lies in, and that has
     * words from before, which a compaction gives back.
     */
    default void reclaimable(long lengthBytes) {}
  }

  /** Shows every block that this transaction sees, in the order of addresses. */
  public void visit(Visitor visitor) {
    new BlockWalk(words).visit(visitor);
  }
}
