package io.howdah.nvmsim.thynvm.control;

import io.howdah.nvmsim.thynvm.table.BlockState;
import io.howdah.nvmsim.thynvm.table.BlockTable;
import io.howdah.nvmsim.thynvm.table.HashOrder;
import io.howdah.nvmsim.thynvm.table.PageTable;
import java.util.HashMap;
import java.util.Map;

/**
 * The controller as the authors' published program has it, for exact comparison of counts. With
 * {@code quirks} it also has the program's peculiarities:
 *
 * <ul>
 *   <li>The test whether a store would miss in the BTT compares a byte address with block indexes.
 *       So it nearly always says that it would, and a full BTT ends the epoch at the next store of
 *       the block scheme even if that store hits.
 *   <li>The PTT holds a sixteenth more pages than its length.
 *   <li>Of equal pages, the hash table's order decides which one leaves first.
 * </ul>
 *
 * <p>Its migration overwrites the last checkpoint in Home before the next one is valid, and its
 * exchange of a block with Home leaves no record. Both are counted here, and neither survives a
 * power failure; {@link PaperController} is the one that recovers.
 */
public final class ArtifactController extends Controller {
  private static final double PROMOTION_RATIO = 0.33;
  private static final double DEMOTION_RATIO = 0.67;
  private static final double HALF = 0.5;

  /** Where a page's last checkpoint is and whether it was written since, in order of demotion. */
  private static final int CLEAN_DIRECT = 0;

  private static final int CLEAN_STATIC = 1;
  private static final int DIRTY_DIRECT = 2;
  private static final int DIRTY_STATIC = 3;

  private final int pageLength;
  private final int pageCapacity;
  private final boolean quirks;
  private final HashOrder pageOrder = new HashOrder();
  private final HashOrder writtenOrder = new HashOrder();
  private final Map<Long, int[]> writtenPages = new HashMap<>();
  private final PageHeap dramHeap = new PageHeap();
  private final PageHeap nvmHeap = new PageHeap();

  public ArtifactController(
      AddressSpace space, int blockEntries, int pageLength, boolean quirks, DataPath path) {
    super(space, blockEntries, capacity(pageLength, quirks), path);
    this.pageLength = pageLength;
    this.quirks = quirks;
    pageCapacity = capacity(pageLength, quirks);
    if (space.pages() < pageCapacity) {
      throw new IllegalArgumentException(
          "the address space must have room for " + pageCapacity + " pages: " + space.pages());
    }
  }

  /** Pages that a PTT of this length holds. */
  public static int capacity(int pageLength, boolean quirks) {
    return quirks ? pageLength + pageLength / 16 : pageLength;
  }

  @Override
  public Admission admit(long block) {
    boolean inDram = pages.find(space.pageOf(block)) != PageTable.NONE;
    long asked = quirks ? block * AddressSpace.BLOCK_LENGTH : block;
    if (blocks.find(asked) != BlockTable.NONE) {
      // By accident only, with quirks: the store itself may need an entry that is not there.
      return needsEntry(block, inDram) ? overflow(inDram) : Admission.ACCEPT;
    }
    if (isCheckpointing()) {
      return blocks.free() == 0 && blocks.clean() == 0
          ? Admission.AWAIT_CHECKPOINT
          : Admission.ACCEPT;
    }
    return !inDram && (blocks.written() == blocks.capacity() || pages.dirty() >= pageLength)
        ? Admission.END_EPOCH
        : Admission.ACCEPT;
  }

  private boolean needsEntry(long block, boolean inDram) {
    return blocks.free() == 0
        && blocks.clean() == 0
        && (isCheckpointing() || !inDram)
        && blocks.find(block) == BlockTable.NONE
        && (isCheckpointing() || blocks.loans() == 0);
  }

  private Admission overflow(boolean inDram) {
    if (isCheckpointing()) {
      return Admission.AWAIT_CHECKPOINT;
    }
    return inDram ? Admission.ACCEPT : Admission.END_EPOCH;
  }

  @Override
  public long store(long block, boolean whole) {
    int page = pages.find(space.pageOf(block));
    if (page == PageTable.NONE) {
      return storeBlock(block, whole);
    }
    pages.countStore(page);
    pages.markDirty(page);
    long place = space.pageCache(page, space.blockInPage(block));
    if (isCheckpointing()) {
      return lend(block, place, whole);
    }
    int loan = blocks.lookUp(block);
    if (loan != BlockTable.NONE) {
      returnLoan(loan, !whole);
    }
    return place;
  }

  @Override
  protected void evict(int entry) {
    long home = blocks.block(entry);
    long slot = blocks.place(entry);
    if (isCheckpointing()) {
      counters.swap();
      path.swap(slot, home, slot, epoch());
      slots.retainLong(slot);
    } else {
      copy(slot, home);
      slots.retainShort(slot);
    }
    blocks.move(entry, BlockState.FREE);
  }

  @Override
  protected void closeEpoch() {
    migrate();
    flushBlocks();
    path.backUpBlocks(epoch());
    path.backUpPages(epoch());
    blocks.clearCounters();
    for (long address : pageOrder.keys()) {
      int page = pages.find(pageAt(address));
      if (pages.isDirty(page)) {
        writeBackPage(page, Purpose.CHECKPOINT, 1);
        pages.setCheckpointAtHome(page, !pages.checkpointAtHome(page));
        pages.clean(page);
      }
      pages.clearCounter(page);
    }
  }

  private long pageAt(long address) {
    return address / AddressSpace.BLOCK_LENGTH / space.pageBlocks();
  }

  private void migrate() {
    int loan = blocks.firstLoan();
    while (loan != BlockTable.NONE) {
      int following = blocks.after(loan);
      returnLoan(loan, true);
      counters.checkpointBlocks(1);
      loan = following;
    }
    fillHeaps();
    promote();
    demote();
    writtenOrder.clear();
    writtenPages.clear();
  }

  private void fillHeaps() {
    for (int entry = 0; entry < blocks.capacity(); entry++) {
      if (blocks.state(entry).writtenInEpoch()) {
        long address =
            space.pageOf(blocks.block(entry)) * space.pageBlocks() * AddressSpace.BLOCK_LENGTH;
        int[] written = writtenPages.get(address);
        if (written == null) {
          writtenOrder.add(address);
          written = new int[1];
          writtenPages.put(address, written);
        }
        written[0]++;
      }
    }
    nvmHeap.clear();
    for (long address : writtenOrder.keys()) {
      int[] written = writtenPages.get(address);
      nvmHeap.append(address, written == null ? 0 : written[0], 0);
    }
    nvmHeap.order();
    dramHeap.clear();
    for (long address : pageOrder.keys()) {
      int page = pages.find(pageAt(address));
      dramHeap.append(address, -stateOf(page), -pages.stores(page));
    }
    dramHeap.order();
  }

  private int stateOf(int page) {
    if (pages.isDirty(page)) {
      return pages.checkpointAtHome(page) ? DIRTY_STATIC : DIRTY_DIRECT;
    }
    return pages.checkpointAtHome(page) ? CLEAN_DIRECT : CLEAN_STATIC;
  }

  private void promote() {
    while (!nvmHeap.isEmpty()) {
      long address = nvmHeap.firstPage();
      double ratio = nvmHeap.firstRank() / (double) space.pageBlocks();
      nvmHeap.removeFirst();
      if (ratio < PROMOTION_RATIO) {
        return;
      }
      if (pages.used() == pageCapacity) {
        if (dramHeap.isEmpty() || dramHeap.firstValue() != 0) {
          return;
        }
        toNvm(dramHeap.firstPage());
        dramHeap.removeFirst();
      }
      toDram(address, ratio);
    }
  }

  /**
   * The loop's end is tested behind each page, so a spare of 0 pages stops at the first one only.
   */
  private void demote() {
    int spare = pageCapacity - pageLength;
    boolean more = !dramHeap.isEmpty();
    while (more) {
      long address = dramHeap.firstPage();
      int stores = -dramHeap.firstValue();
      dramHeap.removeFirst();
      if (stores / (double) space.pageBlocks() > DEMOTION_RATIO) {
        return;
      }
      if (stores > 0) {
        toNvm(address);
        counters.pageToNvm();
        spare--;
      }
      more = spare != 0 && !dramHeap.isEmpty();
    }
  }

  private void toNvm(long address) {
    int page = pages.find(pageAt(address));
    int times =
        switch (stateOf(page)) {
          case CLEAN_DIRECT -> 0;
          case CLEAN_STATIC, DIRTY_DIRECT -> 1;
          default -> 2;
        };
    writeBackPage(page, Purpose.MIGRATION, times);
    pageOrder.remove(address);
    pages.remove(page);
  }

  private void toDram(long address, double ratio) {
    long page = pageAt(address);
    long first = page * space.pageBlocks();
    for (long block = first; block < first + space.pageBlocks(); block++) {
      int entry = blocks.lookUp(block);
      if (entry != BlockTable.NONE) {
        gather(entry);
      }
    }
    int entry = pages.insert(page, ratio <= HALF);
    pageOrder.add(address);
    counters.pageToDram();
    writeBackPage(entry, Purpose.MIGRATION, 1);
  }

  private void gather(int entry) {
    long place = blocks.place(entry);
    switch (blocks.state(entry)) {
      case CLEAN, DIRTY -> {
        copy(place, blocks.block(entry));
        counters.migrationBlocks(1);
        slots.release(place);
      }
      case PRE_DIRTY, PRE_HIDDEN -> {
        copy(place, blocks.block(entry));
        counters.migrationBlocks(1);
        cache.release(place);
      }
      case HIDDEN, LOAN, FREE -> {}
    }
    blocks.move(entry, BlockState.FREE);
  }

  private void writeBackPage(int page, Purpose purpose, int times) {
    for (int time = 0; time < times; time++) {
      for (int block = 0; block < space.pageBlocks(); block++) {
        long target =
            pages.checkpointAtHome(page)
                ? space.pageCheckpoint(page, block)
                : pages.page(page) * space.pageBlocks() + block;
        path.writeBack(space.pageCache(page, block), target, purpose);
      }
    }
    long written = (long) times * space.pageBlocks();
    if (purpose == Purpose.MIGRATION) {
      counters.migrationBlocks(written);
    } else {
      counters.checkpointBlocks(written);
    }
  }

  @Override
  protected void checkpointCompleted() {}
}
