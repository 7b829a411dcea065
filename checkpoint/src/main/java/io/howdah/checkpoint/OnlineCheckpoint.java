package io.howdah.checkpoint;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.SuperblockBuilder;
import io.howdah.log.RedoLog;
import io.howdah.log.flush.LogExtent;
import io.howdah.log.flush.TrimPoint;
import io.howdah.log.report.LogStall;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Takes checkpoints beside commits, which neither wait nor abort for them. The order of a round,
 * and why it may be cut short anywhere, stand in docs/checkpoint.md.
 *
 * <p>Owned by one engine thread at a time.
 */
final class OnlineCheckpoint {

  private static final long DRAIN_PARK_NANOS = 50_000;
  private static final long STABLE_WAIT_NANOS = 10_000_000;

  /**
   * Give up after the log has waited for space for so long: it may wait for segments that only this
   * checkpoint could free, or for the space that its journal takes.
   */
  private static final long FULL_NANOS = 1_000_000_000;

  private final Checkpointer checkpointer;
  private final DirtyPages dirty;
  private final RedoLog log;
  private final Execution execution;
  private final CheckpointPace pace;
  private final BooleanSupplier cancelled;
  private final MarkedPages pages;

  private final CheckpointProgress folding =
      new CheckpointProgress() {
        @Override
        public void folded(long bytes) {
          requireGoing();
          pace.folded(bytes);
        }
      };

  /**
   * Creates one for an open store.
   *
   * @param cancelled whether to give up a round that does not count yet: the store closes, or has
   *     stopped
   */
  OnlineCheckpoint(
      Checkpointer checkpointer,
      MarkedPages pages,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      CheckpointPace pace,
      BooleanSupplier cancelled) {
    this.checkpointer = checkpointer;
    this.pages = pages;
    this.dirty = dirty;
    this.log = log;
    this.execution = execution;
    this.pace = pace;
    this.cancelled = cancelled;
  }

  /**
   * Takes one checkpoint.
   *
   * @throws CancellationException if it was given up; the store is as it was, unless it has stopped
   * @throws io.howdah.core.storage.StorageException if a file cannot be opened or written; if that
   *     is {@linkplain io.howdah.core.storage.StorageException#isTransient() transient} the store
   *     is as it was, or has a journal that counts and is to be folded, and another attempt may be
   *     made
   * @throws io.howdah.core.StoreFailedException if the log stopped
   */
  CheckpointResult run() {
    long started = execution.nanoTime();
    pace.start(dirty.count());
    if (checkpointer.isJournaled()) {
      checkpointer.foldLeftover();
    }
    if (isLogFull()) {
      awaitStable(log.lanes().clock()); // or fail before a journal takes space in vain
    }
    // Before the mark: what these segments hold was published by commits that the mark counts.
    TrimPoint trim = log.trimPoint();
    dirty.turn();
    // An RMW on the clock: a commit after it sees the new round, one before it is waited for (R16).
    long replayAboveLsn = log.mark();
    drain(replayAboveLsn);
    long drained = execution.nanoTime();
    CheckpointState next = journal(replayAboveLsn);
    long journaled = execution.nanoTime();
    awaitStableOrDiscard(next.imageLsn());
    requireWanted();
    checkpointer.journaled(next);
    long counted = execution.nanoTime();
    checkpointer.fold(trim, this::folded, folding);
    dirty.clearFormer();
    log.trim(trim);
    long ended = execution.nanoTime();
    return new CheckpointResult(
        next.sequence(),
        replayAboveLsn,
        pace.dirtyPages(),
        pace.wholePages(),
        pace.lines(),
        pace.journalBytes(),
        pace.imageBytes(),
        CheckpointResult.HEADER_BYTES,
        drained - started,
        journaled - drained,
        counted - journaled,
        ended - counted,
        pace.restNanos(),
        ended - started);
  }

  /**
   * Copies the store as the checkpoint just taken has left it, with the log behind that. If that
   * fails nothing of it is left.
   *
   * @param target empty
   * @throws io.howdah.core.CorruptStoreException if the store's files are damaged
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written
   * @throws CancellationException if the store closes, or has stopped
   */
  BackupResult backup(Storage target) {
    pace.start(1);
    FileCopy copy = checkpointer.copyTo(target, pace, this::requireWanted);
    try {
      return backup(copy);
    } catch (RuntimeException | Error e) {
      copy.discard(e);
      throw e;
    }
  }

  private BackupResult backup(FileCopy copy) {
    long started = execution.nanoTime();
    long fromLsn = checkpointer.current().checkpoint().imageLsn();
    copy.image();
    long lsn = log.lanes().clock();
    awaitStable(lsn);
    List<LogExtent> extents = log.extents();
    copy.log(extents);
    requireWanted();
    copy.complete(!extents.isEmpty(), lsn, execution);
    return new BackupResult(lsn, fromLsn, copy.bytes(), execution.nanoTime() - started);
  }

  /** Waits until the effects of all LSNs up to the mark are in the region, and their marks set. */
  private void drain(long mark) {
    while (!log.hasLeft(mark)) {
      requireWanted();
      execution.parkNanos(this, DRAIN_PARK_NANOS);
    }
  }

  private CheckpointState journal(long replayAboveLsn) {
    boolean complete = false;
    try {
      CheckpointState next =
          checkpointer.writeJournal(pages, dirty, replayAboveLsn, this::imageLsn, pace);
      complete = true;
      return next;
    } finally {
      if (!complete) {
        discardQuietly();
      }
    }
  }

  /** If the store has stopped, what became of the journal is for the next opening to find. */
  private void discardQuietly() {
    if (log.failure() != null) {
      return;
    }
    try {
      checkpointer.discardJournal();
    } catch (RuntimeException e) {
      // A journal that no superblock names is overwritten by the next checkpoint.
    }
  }

  private long imageLsn() {
    // The copy's loads come before the clock's: a word of LSN n that was copied was stored after n
    // was taken, so the clock shows n (docs/protocol.md, R13, R14). A load of the clock with
    // acquire would not hold back the loads before it.
    VarHandle.acquireFence();
    return log.lanes().clock();
  }

  /** What was copied must not count before the log can repeat it. */
  private void awaitStableOrDiscard(long imageLsn) {
    try {
      awaitStable(imageLsn);
    } catch (StorageException e) {
      discardQuietly(); // it does not count yet, and the log needs the space
      throw e;
    }
  }

  /** Waits, but not for long if the log itself waits for space. */
  private void awaitStable(long lsn) {
    long fullSince = execution.nanoTime();
    boolean full = isLogFull();
    while (!log.awaitStable(lsn, full ? 0 : STABLE_WAIT_NANOS)) {
      requireWanted();
      long now = execution.nanoTime();
      full = isLogFull();
      if (!full) {
        fullSince = now;
      } else if (now - fullSince >= FULL_NANOS) {
        throw new StorageException(
            StorageException.Reason.NO_SPACE, "grow the log, for which a checkpoint waits,", null);
      } else {
        // The flusher goes on by itself, so there is nothing to ask it for, or to spin for.
        execution.parkNanos(this, STABLE_WAIT_NANOS);
      }
    }
  }

  private boolean isLogFull() {
    return log.whyNotStable().reason() == LogStall.Reason.FILE_SYSTEM_FULL;
  }

  private void requireWanted() {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException("the store is closing");
    }
  }

  /**
   * A store that has stopped changes no file: another process may have it by now, or its memory may
   * lack what a commit has stored, and then the log has to decide.
   */
  private void requireGoing() {
    if (log.failure() != null) {
      throw new CancellationException("the store has stopped");
    }
  }

  private SuperblockBuilder folded(SuperblockBuilder next) {
    requireGoing();
    return next;
  }

  /** Returns whether a superblock could not be written, so that what is durable is unknown. */
  boolean hasLostSuperblock() {
    return checkpointer.hasLostSuperblock();
  }
}
