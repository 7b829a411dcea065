package io.howdah.nvmsim.thynvm.control;

import io.howdah.nvmsim.thynvm.table.BlockState;
import io.howdah.nvmsim.thynvm.table.BlockTable;
import io.howdah.nvmsim.thynvm.table.PageTable;
import io.howdah.nvmsim.thynvm.table.VersionSlots;

/**
 * The block remapping scheme (§3.2) and what the page scheme of all controllers shares. An epoch
 * executes while the one before it is being checkpointed; only one checkpoint is in progress at a
 * time.
 *
 * <p>Stores come with {@link #admit} first. The caller ends epochs ({@link #endEpoch}) and says
 * when a checkpoint has completed ({@link #completeCheckpoint}).
 */
public abstract class Controller {
  protected final AddressSpace space;
  protected final BlockTable blocks;
  protected final PageTable pages;
  protected final VersionSlots slots;
  protected final VersionSlots cache;
  protected final DataPath path;
  protected final Counters counters = new Counters();
  private boolean checkpointing;
  private long epoch = 1;

  protected Controller(AddressSpace space, int blockEntries, int pageCapacity, DataPath path) {
    this.space = space;
    this.path = path;
    blocks = new BlockTable(blockEntries);
    pages = new PageTable(pageCapacity);
    slots = new VersionSlots(space.blockSlots(), space.blockSlotBase());
    cache = new VersionSlots(space.cacheSlots(), space.cacheSlotBase());
  }

  public final Counters counters() {
    return counters;
  }

  public final BlockTable blockTable() {
    return blocks;
  }

  public final PageTable pageTable() {
    return pages;
  }

  public final AddressSpace space() {
    return space;
  }

  /** The active epoch, from 1. */
  public final long epoch() {
    return epoch;
  }

  public final boolean isCheckpointing() {
    return checkpointing;
  }

  /** Whether a store to the block can be served now. */
  public abstract Admission admit(long block);

  /** Where software's version of the block lies. */
  public final long locate(long block) {
    int entry = blocks.lookUp(block);
    return entry == BlockTable.NONE ? locateOutsideBlocks(block) : blocks.place(entry);
  }

  /** As {@link #locate}, but the block does not count as used. */
  public final long peek(long block) {
    int entry = blocks.find(block);
    return entry == BlockTable.NONE ? locateOutsideBlocks(block) : blocks.place(entry);
  }

  /** Whether the block belongs to a page that the page scheme manages. */
  public final boolean isPage(long block) {
    return pages.find(space.pageOf(block)) != PageTable.NONE;
  }

  /** Where a block without BTT entry lies. */
  private long locateOutsideBlocks(long block) {
    int page = pages.find(space.pageOf(block));
    return page == PageTable.NONE ? block : space.pageCache(page, space.blockInPage(block));
  }

  /**
   * Serves an admitted store.
   *
   * @param whole whether it overwrites the whole block; the rest of a block is copied along
   * @return where the data must be written
   */
  public abstract long store(long block, boolean whole);

  /** Ends the active epoch and begins to checkpoint it. */
  public final void endEpoch() {
    requireIdle();
    closeEpoch();
    counters.epoch();
    checkpointing = true;
    epoch++;
  }

  /** Moves what the epoch wrote to where its checkpoint will be, and plans the write-backs. */
  protected abstract void closeEpoch();

  /** The checkpoint in progress is durable and valid. */
  public final void completeCheckpoint() {
    if (!checkpointing) {
      throw new IllegalStateException("no checkpoint is in progress");
    }
    checkpointing = false;
    slots.checkpointCompleted();
    cache.checkpointCompleted();
    checkpointCompleted();
  }

  /** Called last by {@link #completeCheckpoint}. */
  protected abstract void checkpointCompleted();

  /** Goes on from a recovered state: this epoch is the first one that is not recovered. */
  protected final void restartAt(long firstEpoch) {
    epoch = firstEpoch;
  }

  private void requireIdle() {
    if (checkpointing) {
      throw new IllegalStateException("the checkpoint of epoch " + (epoch - 1) + " is in progress");
    }
  }

  /** A store to a block that the block scheme manages. */
  protected final long storeBlock(long block, boolean whole) {
    int entry = blocks.lookUp(block);
    if (entry == BlockTable.NONE) {
      entry = checkpointing ? insertPreDirty(block, whole) : insertDirty(block, whole);
    } else if (checkpointing) {
      storeWhileCheckpointing(entry, whole);
    } else {
      storeWhileExecuting(entry, whole);
    }
    blocks.countStore(entry);
    return blocks.place(entry);
  }

  private int insertDirty(long block, boolean whole) {
    if (blocks.free() == 0) {
      if (blocks.loans() > 0) {
        returnLoan(blocks.firstLoan(), true);
      } else {
        evict(blocks.firstClean());
      }
    }
    long slot = slots.take();
    if (!whole) {
      copy(block, slot);
    }
    return blocks.insert(block, slot, BlockState.DIRTY, epoch);
  }

  private int insertPreDirty(long block, boolean whole) {
    if (blocks.free() == 0) {
      evict(blocks.firstClean());
    }
    long place = cache.take();
    if (!whole) {
      copy(block, place);
    }
    return blocks.insert(block, place, BlockState.PRE_DIRTY, epoch);
  }

  private void storeWhileExecuting(int entry, boolean whole) {
    switch (blocks.state(entry)) {
      case CLEAN -> hide(entry, whole);
      case PRE_DIRTY -> makeDirty(entry, !whole);
      case PRE_HIDDEN -> makeHidden(entry, !whole);
      case DIRTY, HIDDEN -> {}
      case LOAN, FREE -> throw misplaced(entry);
    }
  }

  private void storeWhileCheckpointing(int entry, boolean whole) {
    switch (blocks.state(entry)) {
      case CLEAN -> preHide(entry, whole);
      case PRE_DIRTY, PRE_HIDDEN -> {}
      case DIRTY, HIDDEN, LOAN, FREE -> throw misplaced(entry);
    }
  }

  private IllegalStateException misplaced(int entry) {
    return new IllegalStateException(
        "block " + blocks.block(entry) + " must not be " + blocks.state(entry) + " here");
  }

  /** The slot keeps the last checkpoint; Home, whose content is older, takes the new version. */
  private void hide(int entry, boolean whole) {
    long home = blocks.block(entry);
    long slot = blocks.place(entry);
    if (!whole) {
      copy(slot, home);
    }
    slots.retainShort(slot);
    blocks.move(entry, BlockState.HIDDEN, home, epoch);
  }

  private void preHide(int entry, boolean whole) {
    long slot = blocks.place(entry);
    long place = cache.take();
    if (!whole) {
      copy(slot, place);
    }
    slots.retainLong(slot);
    blocks.move(entry, BlockState.PRE_HIDDEN, place, epoch);
  }

  /** A pre-dirty block gets its slot; its data follows if it is not overwritten. */
  protected final void makeDirty(int entry, boolean withData) {
    long place = blocks.place(entry);
    long slot = slots.take();
    if (withData) {
      copy(place, slot);
    }
    cache.release(place);
    blocks.move(entry, BlockState.DIRTY, slot, epoch);
  }

  /** A pre-hidden block moves to Home; its data follows if it is not overwritten. */
  protected final void makeHidden(int entry, boolean withData) {
    long place = blocks.place(entry);
    long home = blocks.block(entry);
    if (withData) {
      copy(place, home);
    }
    cache.release(place);
    blocks.move(entry, BlockState.HIDDEN, home, epoch);
  }

  /** Gives every block that the epoch wrote the place that its checkpoint will name. */
  protected final void flushBlocks() {
    int entry = blocks.firstWritten();
    while (entry != BlockTable.NONE) {
      int following = blocks.after(entry);
      switch (blocks.state(entry)) {
        case PRE_DIRTY -> {
          makeDirty(entry, true);
          counters.checkpointBlocks(1);
        }
        case PRE_HIDDEN -> {
          makeHidden(entry, true);
          counters.checkpointBlocks(1);
        }
        case DIRTY, HIDDEN, CLEAN, LOAN, FREE -> {}
      }
      boolean atHome = blocks.state(entry) == BlockState.HIDDEN;
      blocks.move(entry, atHome ? BlockState.FREE : BlockState.CLEAN);
      entry = following;
    }
  }

  /** Frees the entry of a clean block, whose version moves to Home. */
  protected abstract void evict(int entry);

  /** Frees the entry of a loan, whose data returns to the page unless it is overwritten. */
  protected void returnLoan(int entry, boolean withData) {
    long place = blocks.place(entry);
    if (withData) {
      copy(place, locateOutsideBlocks(blocks.block(entry)));
    }
    cache.release(place);
    blocks.move(entry, BlockState.FREE);
  }

  /** Lends the block of a page that is being written back a place in DRAM. */
  protected final long lend(long block, long pageBlock, boolean whole) {
    int entry = blocks.lookUp(block);
    if (entry == BlockTable.NONE) {
      if (blocks.free() == 0) {
        evict(blocks.firstClean());
      }
      long place = cache.take();
      if (!whole) {
        copy(pageBlock, place);
      }
      entry = blocks.insert(block, place, BlockState.LOAN, epoch);
    }
    return blocks.place(entry);
  }

  /** Copies a block that must be visible at its new place at once. */
  protected final void copy(long from, long to) {
    counters.copy();
    path.copy(from, to, Purpose.CHECKPOINT);
  }
}
