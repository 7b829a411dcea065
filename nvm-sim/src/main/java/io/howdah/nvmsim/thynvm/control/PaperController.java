package io.howdah.nvmsim.thynvm.control;

import io.howdah.nvmsim.thynvm.SchemePolicy;
import io.howdah.nvmsim.thynvm.table.BlockState;
import io.howdah.nvmsim.thynvm.table.BlockTable;
import io.howdah.nvmsim.thynvm.table.PageTable;
import io.howdah.nvmsim.thynvm.table.PageTally;

/**
 * The controller of the paper's text, made to survive a power failure at any write. Invariants,
 * with {@code N} the epoch that is being checkpointed or, between checkpoints, the last complete
 * one:
 *
 * <ul>
 *   <li>While {@code N} is incomplete, no place is overwritten that the tables of {@code N - 1}
 *       name, nor Home of a block they do not name, except by a {@linkplain DataPath#swap recorded
 *       swap}. No place is overwritten that the tables of {@code N} name.
 *   <li>A slot is free once no complete or pending table names it.
 *   <li>A page that is written back does not change; stores to its blocks are lent a place.
 *   <li>A page leaves DRAM only when its last checkpoint lies at Home.
 * </ul>
 */
public final class PaperController extends Controller {
  /** Slots per BTT entry that always suffice: one in use, four retained, one saved by a swap. */
  public static final int SLOTS_PER_ENTRY = 6;

  /** The share of the PTT that is kept free for pages to be promoted. */
  private static final int RESERVE_SHARE = 16;

  private final SchemePolicy policy;
  private final PageTally tally;
  private int hand;

  public PaperController(AddressSpace space, int blockEntries, SchemePolicy policy, DataPath path) {
    super(space, blockEntries, space.pages(), path);
    this.policy = policy;
    tally = new PageTally(blockEntries);
  }

  /** An address space with the slots that this controller needs. */
  public static AddressSpace space(
      long homeBlocks, int blockEntries, int pageEntries, int pageBlocks) {
    int backupBits = blockEntries * BlockTable.ENTRY_BITS + pageEntries * PageTable.ENTRY_BITS;
    int backupBlocks = 2 * (backupBits / (8 * AddressSpace.BLOCK_LENGTH) + 1);
    return new AddressSpace(
        homeBlocks,
        SLOTS_PER_ENTRY * blockEntries,
        pageEntries,
        pageBlocks,
        backupBlocks,
        blockEntries);
  }

  /** Continues behind the last complete epoch; entries and pages are put back before. */
  public void restart(long firstEpoch) {
    restartAt(firstEpoch);
  }

  /** Puts back an entry of a recovered BTT. */
  public void restoreBlock(long block, long slot, long epochOfSlot) {
    slots.take(slot);
    blocks.insert(block, slot, BlockState.CLEAN, epochOfSlot);
  }

  /** Puts back an entry of a recovered PTT. */
  public void restorePage(int entry, long page, boolean checkpointAtHome) {
    pages.insertAt(entry, page, checkpointAtHome);
  }

  @Override
  public Admission admit(long block) {
    int page = pages.find(space.pageOf(block));
    if (page == PageTable.NONE) {
      return policy.pagesOnly() ? admitNewPage() : admitBlock(block);
    }
    if (!pages.isWritingBack(page)) {
      return Admission.ACCEPT;
    }
    if (!policy.cooperation()) {
      return Admission.AWAIT_CHECKPOINT;
    }
    return blocks.find(block) != BlockTable.NONE || blocks.free() + blocks.clean() > 0
        ? Admission.ACCEPT
        : Admission.AWAIT_CHECKPOINT;
  }

  private Admission admitBlock(long block) {
    if (blocks.free() + blocks.clean() > 0 || blocks.find(block) != BlockTable.NONE) {
      return Admission.ACCEPT;
    }
    if (isCheckpointing()) {
      return Admission.AWAIT_CHECKPOINT;
    }
    return blocks.loans() > 0 ? Admission.ACCEPT : Admission.END_EPOCH;
  }

  private Admission admitNewPage() {
    if (pages.used() < pages.capacity()) {
      return Admission.ACCEPT;
    }
    return isCheckpointing() ? Admission.AWAIT_CHECKPOINT : Admission.END_EPOCH;
  }

  @Override
  public long store(long block, boolean whole) {
    int page = pages.find(space.pageOf(block));
    if (page == PageTable.NONE) {
      if (!policy.pagesOnly()) {
        return storeBlock(block, whole);
      }
      page = fetch(space.pageOf(block));
    }
    pages.countStore(page);
    long place = space.pageCache(page, space.blockInPage(block));
    if (pages.isWritingBack(page)) {
      return lend(block, place, whole);
    }
    pages.markDirty(page);
    if (blocks.loans() > 0) {
      int loan = blocks.find(block);
      if (loan != BlockTable.NONE) {
        returnLoan(loan, !whole);
      }
    }
    return place;
  }

  @Override
  protected void evict(int entry) {
    long home = blocks.block(entry);
    long slot = blocks.place(entry);
    if (!isCheckpointing()) {
      copy(slot, home);
      slots.retainShort(slot);
    } else if (blocks.epoch(entry) == epoch() - 1) {
      // The tables of the epoch before the one in progress do not name the slot: Home is its data.
      long saved = slots.take();
      counters.swap();
      path.swap(slot, home, saved, epoch() - 1);
      slots.retainShort(saved);
      slots.retainLong(slot);
    } else {
      copy(slot, home);
      slots.retainLong(slot);
    }
    blocks.move(entry, BlockState.FREE);
  }

  @Override
  protected void returnLoan(int entry, boolean withData) {
    pages.markDirty(pages.find(space.pageOf(blocks.block(entry))));
    super.returnLoan(entry, withData);
  }

  @Override
  protected void closeEpoch() {
    while (blocks.loans() > 0) {
      returnLoan(blocks.firstLoan(), true);
    }
    makeRoom();
    if (policy.switching() && !policy.pagesOnly()) {
      promote();
    }
    flushBlocks();
    path.backUpBlocks(epoch());
    writeBackPages();
    path.backUpPages(epoch());
    blocks.clearCounters();
  }

  /**
   * Lets pages with few stores leave. A page without any store says nothing about its locality and
   * costs no write-back; it leaves only while a share of the PTT is not free, or if every store
   * needs a page in DRAM.
   */
  private void makeRoom() {
    int capacity = pages.capacity();
    int reserve = Math.max(1, capacity / RESERVE_SHARE);
    int room = capacity - pages.used();
    for (int tried = 0; tried < capacity && (policy.demoteAtOnce() || room < reserve); tried++) {
      hand = hand + 1 == capacity ? 0 : hand + 1;
      boolean judged = pages.stores(hand) > 0 || policy.pagesOnly();
      boolean due = (policy.demoteAtOnce() && judged) || room < reserve;
      if (due && pages.isUsed(hand) && pages.stores(hand) < policy.demoteBelow()) {
        if (!pages.checkpointAtHome(hand)) {
          pages.setLeaving(hand, true);
          room++;
        } else if (!pages.isDirty(hand)) {
          pages.remove(hand);
          counters.pageToNvm();
          room++;
        }
      }
    }
  }

  private void promote() {
    tally.clear();
    for (int at = blocks.firstWritten(); at != BlockTable.NONE; at = blocks.after(at)) {
      tally.add(space.pageOf(blocks.block(at)), blocks.stores(at));
    }
    for (int i = 0; i < tally.size() && pages.used() < pages.capacity(); i++) {
      if (tally.stores(i) > policy.promoteAbove()) {
        gather(tally.page(i));
      }
    }
  }

  /** Combines a page in DRAM. Home keeps the last checkpoint, so the page's goes to region A. */
  private void gather(long page) {
    int entry = pages.insert(page, true);
    for (int i = 0; i < space.pageBlocks(); i++) {
      long block = page * space.pageBlocks() + i;
      int at = blocks.find(block);
      long from = at == BlockTable.NONE ? block : blocks.place(at);
      path.copy(from, space.pageCache(entry, i), Purpose.MIGRATION);
      if (at != BlockTable.NONE) {
        dismiss(at);
      }
    }
    pages.markDirty(entry);
    pages.setPromoted(entry, true);
    counters.pageToDram();
  }

  /** Drops the entry of a block that a page has taken over. */
  private void dismiss(int entry) {
    long place = blocks.place(entry);
    switch (blocks.state(entry)) {
      case CLEAN -> slots.retainShort(place);
      case DIRTY -> slots.release(place);
      case PRE_DIRTY, PRE_HIDDEN -> cache.release(place);
      case HIDDEN, LOAN, FREE -> {}
    }
    blocks.move(entry, BlockState.FREE);
  }

  private int fetch(long page) {
    int entry = pages.insert(page, true);
    for (int i = 0; i < space.pageBlocks(); i++) {
      path.copy(page * space.pageBlocks() + i, space.pageCache(entry, i), Purpose.MIGRATION);
    }
    counters.pageToDram();
    return entry;
  }

  private void writeBackPages() {
    for (int entry = 0; entry < pages.capacity(); entry++) {
      if (!pages.isUsed(entry)) {
        continue;
      }
      boolean dirty = pages.isDirty(entry);
      if (dirty || pages.isLeaving(entry)) {
        boolean home = !pages.checkpointAtHome(entry);
        writeBack(entry, home, dirty && !pages.isPromoted(entry));
        pages.setCheckpointAtHome(entry, home);
        pages.setWritingBack(entry, true);
        pages.setPromoted(entry, false);
        pages.clean(entry);
      }
      pages.clearCounter(entry);
    }
  }

  private void writeBack(int entry, boolean home, boolean changed) {
    Purpose purpose = changed ? Purpose.CHECKPOINT : Purpose.MIGRATION;
    for (int i = 0; i < space.pageBlocks(); i++) {
      long to = home ? pages.page(entry) * space.pageBlocks() + i : space.pageCheckpoint(entry, i);
      path.writeBack(space.pageCache(entry, i), to, purpose);
    }
    if (changed) {
      counters.checkpointBlocks(space.pageBlocks());
    } else {
      counters.migrationBlocks(space.pageBlocks());
    }
  }

  @Override
  protected void checkpointCompleted() {
    for (int entry = 0; entry < pages.capacity(); entry++) {
      if (!pages.isWritingBack(entry)) {
        continue;
      }
      pages.setWritingBack(entry, false);
      if (pages.isLeaving(entry)) {
        pages.setLeaving(entry, false);
        if (pages.stores(entry) == 0) {
          pages.remove(entry);
          counters.pageToNvm();
        }
      }
    }
  }
}
