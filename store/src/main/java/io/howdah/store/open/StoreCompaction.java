package io.howdah.store.open;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.recovery.RecoveredStore;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.SuperblockBuilder;
import io.howdah.txn.alloc.FreeSpace;
import java.util.function.UnaryOperator;

/**
 * Has the image of a store hold zeros where no block is, and ends it behind the last block. The
 * store has just been recovered, and has no log and no user. Every change is part of a checkpoint,
 * so a crash leaves the store with the same blocks (docs/protocol.md, 4.1):
 *
 * <ol>
 *   <li>slabs without blocks become free runs;
 *   <li>free pages become zeros, some at a time;
 *   <li>free runs say that they were never written, and the top sinks;
 *   <li>the image ends at the top, and the store counts as closed.
 * </ol>
 */
public final class StoreCompaction {

  /** Bounds the journal of one step to 64 MiB. */
  private static final long PAGES_IN_STEP = 1 << 14;

  private final Checkpointer checkpointer;
  private final RecoveredStore store;
  private final long lsn;
  private long pages;
  private long bytes;

  private StoreCompaction(Checkpointer checkpointer, RecoveredStore store) {
    this.checkpointer = checkpointer;
    this.store = store;
    this.lsn = store.report().lsn();
  }

  /**
   * Does all of it, and leaves a store that is closed. Of a region without a header, or with one of
   * another version, it takes a checkpoint only.
   *
   * @param store recovered; nothing has been committed since
   * @return how many bytes of the image became zeros
   * @throws io.howdah.core.CorruptStoreException if what describes its pages is damaged
   */
  public static long run(Checkpointer checkpointer, RecoveredStore store) {
    store.replay().finish();
    return new StoreCompaction(checkpointer, store).run();
  }

  private long run() {
    DirtyPages dirty = store.dirty();
    if (!isKnown()) {
      checkpointer.checkpointQuiescent(store.region(), dirty, lsn, StoreCompaction::closed);
      return 0;
    }
    RegionHeader.requireTop(
        store.region().getLong(RegionHeaderLayout.TOP_ADDRESS), store.region().capacityBytes());
    FreeSpace space = new FreeSpace(store.region(), new RegionWords(store.region(), dirty));
    space.giveBackEmptySlabs();
    checkpoint();
    long end = checkpointer.imageEnd() >>> PageLayout.PAGE_SHIFT;
    space.visitFreePages((page, count) -> mark(page, Math.min(count, end - page)));
    zeros();
    long top = space.endUse();
    checkpoint();
    checkpointer.checkpointEnd(dirty, lsn, top, StoreCompaction::closed);
    return bytes;
  }

  private boolean isKnown() {
    return store.region().getLong(RegionHeaderLayout.MAGIC_ADDRESS) == RegionHeaderLayout.MAGIC
        && store.region().getLong(RegionHeaderLayout.VERSION_ADDRESS) == RegionHeaderLayout.VERSION;
  }

  private void checkpoint() {
    checkpointer.checkpointQuiescent(store.region(), store.dirty(), lsn, UnaryOperator.identity());
  }

  private void mark(long page, long count) {
    DirtyPages dirty = store.dirty();
    for (long i = 0; i < count; i++) {
      dirty.markIn(dirty.currentMap(), page + i);
      if (++pages % PAGES_IN_STEP == 0) {
        zeros();
      }
    }
  }

  private void zeros() {
    bytes += checkpointer.checkpointZeros(store.dirty(), lsn);
  }

  private static SuperblockBuilder closed(SuperblockBuilder change) {
    return change.withClean(true).withRings(new RingPlacement.None());
  }
}
