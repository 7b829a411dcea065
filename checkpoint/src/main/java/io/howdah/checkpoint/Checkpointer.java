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
 * The steps of a checkpoint, each durable when its method returns (docs/checkpoint.md): journal;
 * superblock {@code JOURNALED}, from which moment recovery needs no log up to {@code
 * replayAboveLsn}; image; superblock {@code FOLDED}, from which moment it needs no journal, and the
 * log before may go. A crash anywhere leaves the checkpoint before or this one. After a failure the
 * store is to be closed; it opens with either.
 *
 * <p>{@link OnlineCheckpoint} takes these steps beside commits. The others want a quiescent region:
 * no commit under way, and everything committed visible to the caller.
 *
 * <p>Owned by one engine thread at a time.
 */
public final class Checkpointer {

  private final Storage storage;
  private final SuperblockFile superblock;
  private final Granularity granularity;

  /** Creates one for an open store. */
  public Checkpointer(Storage storage, SuperblockFile superblock) {
    this(storage, superblock, Granularity.DUAL);
  }

  /** Creates one for an open store. */
  public Checkpointer(Storage storage, SuperblockFile superblock, Granularity granularity) {
    this.storage = storage;
    this.superblock = superblock;
    this.granularity = granularity;
  }

  /**
   * Takes a whole checkpoint of a quiescent region: {@link #journal}, then {@link #fold}.
   *
   * @return how many pages were dirty
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
   * Writes what the dirty pages of a quiescent region have become to a journal and makes it count.
   *
   * @param replayAboveLsn largest dense LSN there is: the effects of all up to it are in the region
   * @return how many pages were dirty
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
   * Takes a whole checkpoint in which the dirty pages are zeros, whatever the quiescent region
   * holds there: pages that no block lies in. Afterwards no page is dirty.
   *
   * @param replayAboveLsn largest dense LSN there is; all its effects are in the image
   * @return how many bytes of them the image had that were not zero, in whole lines or pages
   */
  public long checkpointZeros(DirtyPages dirty, long replayAboveLsn) {
    return checkpoint(
        new ZeroPages(dirty), dirty, replayAboveLsn, imageEnd(), UnaryOperator.identity());
  }

  /**
   * Takes a checkpoint without pages, after which the image ends lower: what it has from there on
   * is zeros.
   *
   * @param dirty without marks
   * @param imageEndBytes beyond which no page of the image is anything but zeros
   * @param atFolded further changes to the superblock, made in the same write
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
            Granularity.DUAL, // compares, so pages that are zeros already cost a look
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
              // What was replayed may be in the image without its sum: comparing would not tell.
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

  /** Returns what writes summaries of the log of an open store. */
  LogSummaries summaries(
      Region region,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      BooleanSupplier cancelled) {
    return new LogSummaries(storage, superblock, region, dirty, log, execution, cancelled);
  }

  /** Gives up a journal that does not count. */
  void discardJournal() {
    Superblock current = superblock.current();
    try (Journal journal = journal(current, 1 - current.checkpoint().journalArea())) {
      journal.discard();
    }
  }

  /** Makes a journal count. The log stays as it is: it serves if the journal is found damaged. */
  void journaled(CheckpointState next) {
    superblock.write(superblock.current().change().withCheckpoint(next).build());
  }

  /** Returns whether a superblock could not be written, so that what is durable is unknown. */
  boolean hasLostSuperblock() {
    return superblock.hasFailed();
  }

  /** Returns whether a checkpoint counts whose journal is not folded. */
  public boolean isJournaled() {
    return superblock.current().checkpoint().phase() == CheckpointState.Phase.JOURNALED;
  }

  /** Returns whether pages of the image may have other sums than {@link ImageSums} tells. */
  public boolean isAbandoned() {
    return superblock.current().checkpoint().phase() == CheckpointState.Phase.ABANDONED;
  }

  /**
   * Writes what was journaled to the image and makes that count; the region is quiescent still.
   * Afterwards no page is dirty.
   *
   * @param atFolded further changes to the superblock, made in the same write
   */
  public void fold(DirtyPages dirty, UnaryOperator<SuperblockBuilder> atFolded) {
    fold(null, atFolded, CheckpointProgress.NONE);
    dirty.clear();
  }

  /**
   * Writes what was journaled to the image and makes that count, with the log before a point given
   * up.
   *
   * @param trim null if nothing of the current generation may go
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
   * Writes a journal that a crash left unfolded to the image, so that the image may be mapped. If
   * the journal is damaged the checkpoint before serves: its image, in which any part of the
   * journal may have been written, and the log, which reaches back to it.
   *
   * @return how many pages, 0 if there was nothing to do, -1 if the journal is damaged
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
      // What says that the journal counts may have been read from the page cache alone, if a force
      // of it has failed. Without it nobody would know which pages are being changed.
      superblock.write(current);
      long pages = RegionImage.foldChecked(storage, journal, state, current.geometry().pageBytes());
      folded(null, UnaryOperator.identity());
      journal.shrink();
      return pages;
    }
  }

  /**
   * Copies what a journal that a crash left unfolded makes of pages to a region that holds the
   * image, and changes no file.
   *
   * @return how many pages, 0 if there was nothing to do, -1 if the journal is damaged, so that the
   *     log serves from the checkpoint before on
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

  /** Returns what is wrong with a journal that is needed, so that a recovery gives it up. */
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
   * Checks every page of the image, with the journal if that is needed and whole; changes nothing.
   *
   * @throws CorruptStoreException if a page is damaged; tells of all of them
   */
  public void check() {
    check(ByteBuffer.allocate(0));
  }

  /**
   * Checks like {@link #check()}, and tells how the image begins.
   *
   * @param start takes the first bytes of the image, with what the journal makes of them if that is
   *     needed and whole; the log may have newer ones
   * @throws CorruptStoreException if a page is damaged; tells of all of them
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
   * Holds a few pages to their checksums, of a mapped image the only ones that are read before they
   * are needed: those of the region's header, which every transaction goes by, and some that the
   * newest checkpoint has written, which an image that was put back from an earlier time has not as
   * they should be. Changes nothing.
   *
   * @throws CorruptStoreException if one is damaged
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
    // What is journaled and not folded was compared with the image of the checkpoint before.
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
        // Of these the journal has the checksums, and whoever puts its lines in place checks them.
        journal.read(state, group -> group.withdrawFrom(pages));
      }
    }
    RegionImage.check(storage, current.geometry(), pages);
  }

  /**
   * Requires that no journal is of a later checkpoint than any that the superblock can know of.
   *
   * @throws CorruptStoreException if one is
   */
  public void requireNewest() {
    Superblock current = superblock.current();
    // One more may have been begun, unless the store was closed since.
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
   * Hands over the image, each piece after holding it to its checksums where there are any to hold
   * it to; changes nothing.
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
      boolean givenUp = isJournaled() && !isWhole(journal, state);
      RegionImage.read(
          storage,
          isJournaled() && !givenUp ? journal : null,
          state,
          !isAbandoned() && !givenUp,
          current.geometry(),
          imageEnd(current),
          consumer,
          damaged);
    }
  }

  private void folded(@Nullable TrimPoint trim, UnaryOperator<SuperblockBuilder> change) {
    superblock.write(change.apply(folded(superblock.current(), trim)).build());
  }

  private static SuperblockBuilder folded(Superblock current, @Nullable TrimPoint trim) {
    CheckpointState state = current.checkpoint().folded();
    SuperblockBuilder next = current.change().withCheckpoint(state);
    if (state.replayAboveLsn() >= current.baseLsn()) {
      // Nothing of earlier generations is replayed any more.
      LogState set = current.log();
      long oldest = trim != null ? trim.segment() : set.firstSegment();
      if (oldest > set.oldestSegment()) {
        long batch = trim != null ? trim.batch() : 1;
        set = new LogState(oldest, set.firstSegment(), set.lastBatch(), batch);
      }
      next.withLog(set).withClosedGenerations(List.of());
    }
    return next;
  }

  /**
   * Returns the state by which the log is judged: what {@link #foldLeftover} would make of the
   * current one, without writing anything.
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
   * Returns what copies the store's files to an empty storage.
   *
   * @param betweenPieces runs before each piece that is copied; what it throws ends the copy
   */
  FileCopy copyTo(Storage target, CheckpointProgress progress, Runnable betweenPieces) {
    return new FileCopy(this, target, progress, betweenPieces);
  }

  /** Returns where the store's files are. */
  Storage storage() {
    return storage;
  }

  /** Returns the store's state. */
  Superblock current() {
    return superblock.current();
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
