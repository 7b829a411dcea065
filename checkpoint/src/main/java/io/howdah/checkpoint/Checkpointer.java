package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockBuilder;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.RedoLog;
import io.howdah.log.flush.TrimPoint;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a checkpoint, each durable when its method returns (docs/checkpoint.md). First the
 * journal. Then the superblock in phase {@code JOURNALED}, after which recovery needs no log up to
 * {@code replayAboveLsn}. Then the image. Then the superblock in phase {@code FOLDED}, after which
 * recovery needs no journal, and the log before the checkpoint may be freed. After a crash at any
 * point, either the previous checkpoint or this one counts. After a failure the caller must close
 * the store, and its next opening finds one of the two.
 *
 * <p>{@link OnlineCheckpoint} executes these steps while commits run. All other callers need a
 * quiescent region: no commit runs, and the stores of all commits are visible to the caller.
 *
 * <p>Owned by one engine thread at a time.
 */
public final class Checkpointer {

  private final Storage storage;
  private final SuperblockFile superblock;
  private final Granularity granularity;

  /** Creates the checkpointer of an open store. */
  public Checkpointer(Storage storage, SuperblockFile superblock) {
    this(storage, superblock, Granularity.DUAL);
  }

  /** Creates the checkpointer of an open store, with a granularity. */
  public Checkpointer(Storage storage, SuperblockFile superblock, Granularity granularity) {
    this.storage = storage;
    this.superblock = superblock;
    this.granularity = granularity;
  }

  /**
   * Makes a complete checkpoint of a quiescent region: {@link #journal}, then {@link #fold}.
   *
   * @return the number of dirty pages
   */
  public long checkpointQuiescent(
      Region region,
      DirtyPages dirty,
      long replayAboveLsn,
      UnaryOperator<SuperblockBuilder> atFolded) {
    foldLeftover();
    long pages = journal(region, dirty, replayAboveLsn);
    fold(dirty, atFolded);
    return pages;
  }

  /**
   * Writes the dirty pages of a quiescent region to a journal and makes the journal count.
   *
   * @param replayAboveLsn the largest dense LSN; the effects of all LSNs are in the region
   * @return the number of dirty pages
   */
  public long journal(Region region, DirtyPages dirty, long replayAboveLsn) {
    CheckpointState next =
        writeJournal(
            new MarkedPages(region, dirty),
            dirty,
            granularity.awaited(),
            replayAboveLsn,
            imageEnd(),
            () -> replayAboveLsn,
            CheckpointProgress.NONE);
    journaled(next);
    return dirty.count();
  }

  /**
   * Makes a complete checkpoint in which the dirty pages are zeros, for pages without blocks. The
   * contents of these pages in the quiescent region are ignored. Afterwards no page is dirty.
   *
   * @param replayAboveLsn the largest dense LSN; all effects are in the image
   * @return the number of bytes in lines or pages of the image that were not zero before
   */
  public long checkpointZeros(DirtyPages dirty, long replayAboveLsn) {
    return checkpoint(
        new ZeroPages(dirty), dirty, replayAboveLsn, imageEnd(), UnaryOperator.identity());
  }

  /**
   * Makes a checkpoint without pages, which lowers the end of the image's data.
   *
   * @param dirty has no marks
   * @param imageEndBytes the new end; all pages of the image after it are zeros
   * @param atFolded further changes of the superblock, in the same write
   */
  public void checkpointEnd(
      DirtyPages dirty,
      long replayAboveLsn,
      long imageEndBytes,
      UnaryOperator<SuperblockBuilder> atFolded) {
    checkpoint(new ZeroPages(dirty), dirty, replayAboveLsn, imageEndBytes, atFolded);
  }

  private long checkpoint(
      PageSource pages,
      DirtyPages dirty,
      long replayAboveLsn,
      long imageEndBytes,
      UnaryOperator<SuperblockBuilder> atFolded) {
    CheckpointState next =
        writeJournal(
            pages,
            dirty,
            Granularity.DUAL, // compares, so pages that are already zeros are only read
            replayAboveLsn,
            imageEndBytes,
            () -> replayAboveLsn,
            CheckpointProgress.NONE);
    journaled(next);
    fold(dirty, atFolded);
    return next.journalLengthBytes() - JournalLayout.HEADER_LENGTH;
  }

  /** Writes the journal of the next checkpoint, which does not count yet. */
  CheckpointState writeJournal(
      MarkedPages pages,
      DirtyPages dirty,
      long replayAboveLsn,
      LongSupplier imageLsn,
      CheckpointProgress progress) {
    return writeJournal(pages, dirty, granularity, replayAboveLsn, imageEnd(), imageLsn, progress);
  }

  private CheckpointState writeJournal(
      PageSource pages,
      DirtyPages dirty,
      Granularity chosen,
      long replayAboveLsn,
      long imageEndBytes,
      LongSupplier imageLsn,
      CheckpointProgress progress) {
    Superblock current = superblock.current();
    CheckpointState last = current.checkpoint();
    if (isJournaled()) {
      throw new IllegalStateException(
          "checkpoint " + last.sequence() + " is not folded yet: its journal is still needed");
    }
    try (Journal journal = journal(current, 1 - last.journalArea());
        Journal former = journal(current, last.journalArea())) {
      return journal.write(
          new Journal.Contents(
              pages,
              dirty,
              // Replayed words may be in the image without their checksum, so it is not compared.
              !isAbandoned(),
              chosen,
              last.sequence() + 1,
              replayAboveLsn,
              last.replayAboveLsn(),
              imageEndBytes,
              isAbandoned() ? List.of() : former.witnesses(last.sequence()),
              imageLsn),
          progress);
    }
  }

  /** Returns the writer of summaries of an open store's log. */
  LogSummaries summaries(
      Region region,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      BooleanSupplier cancelled) {
    return new LogSummaries(storage, superblock, region, dirty, log, execution, cancelled);
  }

  /** Discards a journal that does not count. */
  void discardJournal() {
    Superblock current = superblock.current();
    try (Journal journal = journal(current, 1 - current.checkpoint().journalArea())) {
      journal.discard();
    }
  }

  /** Makes a journal count. The log is kept, since recovery uses it if the journal is damaged. */
  void journaled(CheckpointState next) {
    superblock.write(superblock.current().change().withCheckpoint(next).build());
  }

  /** Returns whether a write of the superblock failed, so that its durable state is unknown. */
  boolean hasLostSuperblock() {
    return superblock.hasFailed();
  }

  /** Returns whether a checkpoint counts whose journal is not folded. */
  public boolean isJournaled() {
    return superblock.current().checkpoint().phase() == CheckpointState.Phase.JOURNALED;
  }

  /** Returns whether pages of the image may differ from their checksums in {@link ImageSums}. */
  public boolean isAbandoned() {
    return superblock.current().checkpoint().phase() == CheckpointState.Phase.ABANDONED;
  }

  /**
   * Writes the journaled pages to the image and makes the fold count. The region is still
   * quiescent. Afterwards no page is dirty.
   *
   * @param atFolded further changes of the superblock, in the same write
   */
  public void fold(DirtyPages dirty, UnaryOperator<SuperblockBuilder> atFolded) {
    fold(null, atFolded, CheckpointProgress.NONE);
    dirty.clear(superblock.current().checkpoint().sequence());
  }

  /**
   * Writes the journaled pages to the image, makes the fold count, and trims the log.
   *
   * @param trim the new start of the log; null if no segment of this generation may be freed
   */
  void fold(
      @Nullable TrimPoint trim,
      UnaryOperator<SuperblockBuilder> atFolded,
      CheckpointProgress progress) {
    Superblock current = superblock.current();
    CheckpointState state = current.checkpoint();
    try (Journal journal = journal(current, state.journalArea())) {
      RegionImage.fold(storage, journal, state, current.geometry().pageBytes(), progress);
      folded(trim, atFolded);
      journal.shrink();
    }
  }

  /**
   * Writes a leftover journal to the image, so that the image may be mapped. If the journal is
   * damaged, recovery uses the previous checkpoint: its image, in which any part of the journal may
   * have been written, and the log after it, which is still complete.
   *
   * @return the number of pages; 0 without a leftover journal; -1 if the journal is damaged
   * @throws CorruptStoreException if a page of the image is damaged
   */
  public long foldLeftover() {
    if (!isJournaled()) {
      return 0;
    }
    Superblock current = superblock.current();
    CheckpointState state = current.checkpoint();
    try (Journal journal = journal(current, state.journalArea())) {
      if (!isWhole(journal, state)) {
        superblock.write(current.change().withCheckpoint(state.abandoned()).build());
        return -1;
      }
      // If a force of the superblock has failed, its present contents may have been read from the
      // page cache. It must be durable before the fold, since it identifies the journal that
      // repairs the changed pages.
      superblock.write(current);
      long pages = RegionImage.foldChecked(storage, journal, state, current.geometry().pageBytes());
      folded(null, UnaryOperator.identity());
      journal.shrink();
      return pages;
    }
  }

  /**
   * Copies the pages of a journal that a crash left unfolded to a region with the contents of the
   * image. Changes no file.
   *
   * @return the number of pages; 0 without such a journal; -1 if the journal is damaged, so that
   *     recovery needs the log from the previous checkpoint on
   * @throws CorruptStoreException if a page of the image is damaged
   */
  public long copyLeftover(Region region) {
    if (!isJournaled()) {
      return 0;
    }
    Superblock current = superblock.current();
    CheckpointState state = current.checkpoint();
    try (Journal journal = journal(current, state.journalArea())) {
      return isWhole(journal, state)
          ? RegionImage.copyPatched(storage, journal, state, current.geometry().pageBytes(), region)
          : -1;
    }
  }

  private static boolean isWhole(Journal journal, CheckpointState state) {
    return problem(journal, state) == null;
  }

  private static @Nullable CorruptStoreException problem(Journal journal, CheckpointState state) {
    try {
      journal.read(state, _ -> {});
      return null;
    } catch (CorruptStoreException e) {
      return e;
    }
  }

  /** Returns the damage of a journal that is needed; recovery then does not use the journal. */
  public Optional<CorruptStoreException> journalProblem() {
    if (!isJournaled()) {
      return Optional.empty();
    }
    Superblock current = superblock.current();
    try (Journal journal = journal(current, current.checkpoint().journalArea())) {
      return Optional.ofNullable(problem(journal, current.checkpoint()));
    }
  }

  /**
   * Verifies every page of the image, with the journal if that is needed and valid. Changes
   * nothing.
   *
   * @throws CorruptStoreException if pages are damaged; the message reports all of them
   */
  public void check() {
    check(ByteBuffer.allocate(0));
  }

  /**
   * Verifies like {@link #check()}, and returns the first bytes of the image.
   *
   * @param start receives the first bytes of the image, with the changes of the journal if that is
   *     needed and valid; the log may have newer ones
   * @throws CorruptStoreException if pages are damaged; the message reports all of them
   */
  public void check(ByteBuffer start) {
    DamagedPages damaged = new DamagedPages();
    readImage(
        (address, bytes) -> {
          if (address < start.capacity()) {
            int length = (int) Math.min(bytes.remaining(), start.capacity() - address);
            start.put((int) address, bytes, bytes.position(), length);
          }
        },
        damaged);
    damaged.throwIfAny();
  }

  /**
   * Verifies a few pages against their checksums: the pages of the region's header, on which every
   * transaction depends, and some that the newest checkpoint has written, which are wrong in an
   * image that was restored from an earlier time. Of a mapped image, no other pages are read before
   * they are needed. Changes nothing.
   *
   * @throws CorruptStoreException if a page is damaged
   */
  public void checkSome() {
    if (isAbandoned()) {
      return;
    }
    Superblock current = superblock.current();
    CheckpointState state = current.checkpoint();
    SortedMap<Long, Optional<Witness>> pages = new TreeMap<>();
    for (long page = 0; page < ImageFile.HEADER_PAGES; page++) {
      pages.put(page, Optional.empty());
    }
    // A journal that is not folded was compared with the image of the previous checkpoint.
    int area = isJournaled() ? 1 - state.journalArea() : state.journalArea();
    long checkpoint = isJournaled() ? state.sequence() - 1 : state.sequence();
    try (Journal last = journal(current, area)) {
      for (Witness witness : last.witnesses(checkpoint)) {
        pages.put(witness.page(), Optional.of(witness));
      }
    }
    if (isJournaled()) {
      try (Journal journal = journal(current, state.journalArea())) {
        if (!isWhole(journal, state)) {
          return;
        }
        // The journal has the checksums of these pages, and the fold verifies them.
        journal.read(state, group -> group.withdrawFrom(pages));
      }
    }
    RegionImage.check(storage, current.geometry(), pages);
  }

  /**
   * Requires that no journal belongs to a later checkpoint than the superblock permits.
   *
   * @throws CorruptStoreException if one does, which means that the superblock is too old
   */
  public void requireNewest() {
    Superblock current = superblock.current();
    // One more checkpoint may have begun, unless the store was closed after the last one.
    long newest = current.checkpoint().sequence() + (current.clean() ? 0 : 1);
    for (int area = 0; area < Journal.AREAS; area++) {
      long found = Journal.checkpoint(storage, current.storeId(), area);
      if (found > newest) {
        throw new CorruptStoreException(
            SuperblockFile.NAME,
            -1,
            "the file knows of checkpoint "
                + current.checkpoint().sequence()
                + ", but "
                + Journal.name(area)
                + " is of checkpoint "
                + found
                + ": the file is older than the store; put back the one that belongs here, or"
                + " restore the store from a backup");
      }
    }
  }

  /**
   * Passes the image to a consumer, each piece after verifying its checksums, if these are valid.
   * Changes nothing.
   *
   * @throws CorruptStoreException if a page, a sum or the journal is damaged
   */
  void readImage(RegionImage.PieceConsumer consumer) {
    readImage(consumer, PageDamage.FATAL);
  }

  private void readImage(RegionImage.PieceConsumer consumer, PageDamage damaged) {
    Superblock current = superblock.current();
    CheckpointState state = current.checkpoint();
    RegionImage.requireWhole(storage, current.storeId(), current.geometry());
    try (Journal journal = journal(current, state.journalArea())) {
      boolean isDamaged = isJournaled() && !isWhole(journal, state);
      RegionImage.read(
          storage,
          isJournaled() && !isDamaged ? journal : null,
          state,
          !isAbandoned() && !isDamaged,
          current.geometry(),
          imageEnd(current),
          consumer,
          damaged);
    }
  }

  /**
   * Reads whole pages of the image, each after verifying its checksum.
   *
   * @return false, without reading, if pages may differ from their checksums, because a checkpoint
   *     is not folded
   * @throws CorruptStoreException if a page is damaged
   */
  public boolean readPages(long address, ByteBuffer pages) {
    if (isJournaled() || isAbandoned()) {
      return false;
    }
    RegionImage.readPages(storage, superblock.current().geometry(), address, pages);
    return true;
  }

  private void folded(@Nullable TrimPoint trim, UnaryOperator<SuperblockBuilder> change) {
    superblock.write(change.apply(folded(superblock.current(), trim)).build());
  }

  private static SuperblockBuilder folded(Superblock current, @Nullable TrimPoint trim) {
    CheckpointState state = current.checkpoint().folded();
    SuperblockBuilder next = current.change().withCheckpoint(state);
    if (state.replayAboveLsn() >= current.baseLsn()) {
      // No record of an earlier generation will be replayed.
      LogState set = current.log();
      long oldest = trim != null ? trim.segment() : set.firstSegment();
      if (oldest > set.oldestSegment()) {
        long batch = trim != null ? trim.batch() : 1;
        set = new LogState(oldest, set.firstSegment(), batch);
      }
      next.withLog(set).withClosedGenerations(List.of());
    }
    return next;
  }

  /**
   * Returns the state with which the log must be read: the result of {@link #foldLeftover} on the
   * current state, without writing a file.
   */
  public Superblock withoutLeftover() {
    Superblock current = superblock.current();
    if (!isJournaled()) {
      return current;
    }
    return journalProblem().isEmpty()
        ? folded(current, null).build()
        : current.change().withCheckpoint(current.checkpoint().abandoned()).build();
  }

  /**
   * Creates the copy of the store's files to an empty storage.
   *
   * @param betweenPieces runs before each piece is copied; an exception ends the copy
   */
  FileCopy copyTo(Storage target, CheckpointProgress progress, Runnable betweenPieces) {
    return new FileCopy(this, target, progress, betweenPieces);
  }

  /** Returns the storage of the store's files. */
  Storage storage() {
    return storage;
  }

  /** Returns the store's state. */
  public Superblock current() {
    return superblock.current();
  }

  /** Returns the end of the part of the image that was ever written; its length if unknown. */
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
