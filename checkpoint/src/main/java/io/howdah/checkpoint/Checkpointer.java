package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.LogSetState;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockBuilder;
import io.howdah.core.superblock.SuperblockFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Takes checkpoints of a quiescent region: no commit is under way, and everything committed is
 * visible to the caller.
 *
 * <p>Order of forces (docs/checkpoint.md): journal; superblock {@code JOURNALED}, from which moment
 * the log up to the checkpoint is not needed any more; image; superblock {@code FOLDED}, from which
 * moment the journal is not. A crash anywhere leaves the checkpoint before or this one. After a
 * failure the store is to be closed; it opens with either.
 *
 * <p>Owned by one engine thread at a time.
 */
public final class Checkpointer {

  private final Storage storage;
  private final SuperblockFile superblock;

  /** Creates one for an open store. */
  public Checkpointer(Storage storage, SuperblockFile superblock) {
    this.storage = storage;
    this.superblock = superblock;
  }

  /**
   * Takes a whole checkpoint: {@link #journal}, then {@link #fold}.
   *
   * @return how many pages it wrote
   */
  public long checkpointQuiescent(
      Region region,
      DirtyPages dirty,
      long replayAboveLsn,
      UnaryOperator<SuperblockBuilder> atFolded) {
    long pages = journal(region, dirty, replayAboveLsn);
    fold(region, dirty, atFolded);
    return pages;
  }

  /**
   * Writes the dirty pages to a journal and makes it count. When this returns, no log up to {@code
   * replayAboveLsn} is needed, the superblock lists no closed generation, and each log set's oldest
   * segment is the current generation's first.
   *
   * @param replayAboveLsn largest dense LSN there is: the effects of all up to it are in the region
   * @return how many pages
   */
  public long journal(Region region, DirtyPages dirty, long replayAboveLsn) {
    Superblock current = superblock.current();
    CheckpointState last = current.checkpoint();
    if (last.phase() == CheckpointState.Phase.JOURNALED) {
      throw new IllegalStateException(
          "checkpoint " + last.sequence() + " is not folded yet: its journal is still needed");
    }
    int area = 1 - last.journalArea();
    CheckpointState next;
    try (Journal journal = journal(current, area)) {
      next = journal.write(region, dirty, last.sequence() + 1, replayAboveLsn, imageEnd(current));
    }
    List<LogSetState> sets = new ArrayList<>();
    for (LogSetState set : current.logSets()) {
      sets.add(new LogSetState(set.firstSegment(), set.firstSegment(), set.lastBatch()));
    }
    superblock.write(
        current
            .change()
            .withCheckpoint(next)
            .withLogSets(sets)
            .withClosedGenerations(List.of())
            .build());
    return dirty.count();
  }

  /**
   * Writes the pages that were journaled to the image and makes that count; the region has not
   * changed meanwhile. Afterwards no page is dirty.
   *
   * @param atFolded further changes to the superblock, made in the same write
   */
  public void fold(Region region, DirtyPages dirty, UnaryOperator<SuperblockBuilder> atFolded) {
    RegionImage.fold(storage, region, dirty);
    folded(atFolded);
    dirty.clear();
  }

  /**
   * Writes a journal that a crash left unfolded to the image, so that the image may be mapped.
   *
   * @return how many pages
   * @throws io.howdah.core.CorruptStoreException if the journal is damaged
   */
  public long foldLeftover() {
    Superblock current = superblock.current();
    CheckpointState state = current.checkpoint();
    if (state.phase() != CheckpointState.Phase.JOURNALED) {
      return 0;
    }
    long pages;
    try (Journal journal = journal(current, state.journalArea())) {
      pages = RegionImage.fold(storage, journal, state, current.geometry().pageBytes());
    }
    folded(UnaryOperator.identity());
    return pages;
  }

  private void folded(UnaryOperator<SuperblockBuilder> change) {
    Superblock current = superblock.current();
    superblock.write(
        change.apply(current.change().withCheckpoint(current.checkpoint().folded())).build());
    try (Journal journal = journal(current, current.checkpoint().journalArea())) {
      journal.shrink();
    }
  }

  /** Returns the bytes of the image beyond which it was never written, or all of it if unknown. */
  public long imageEnd() {
    return imageEnd(superblock.current());
  }

  private long imageEnd(Superblock current) {
    CheckpointState state = current.checkpoint();
    if (state.phase() == CheckpointState.Phase.NONE) {
      return 0;
    }
    try (Journal journal = journal(current, state.journalArea())) {
      Long end = journal.imageEnd(state);
      return end == null ? current.geometry().maxSizeBytes() : end;
    }
  }

  private Journal journal(Superblock current, int area) {
    return new Journal(storage, current.storeId(), current.geometry(), area);
  }
}
