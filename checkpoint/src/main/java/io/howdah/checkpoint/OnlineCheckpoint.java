package io.howdah.checkpoint;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockBuilder;
import io.howdah.log.RedoLog;
import io.howdah.log.flush.LogExtent;
import io.howdah.log.flush.TrimPoint;
import io.howdah.log.report.LogStall;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Makes checkpoints while commits run; commits neither wait nor abort for them. {@link
 * CheckpointThread} calls it, and {@link Checkpointer} writes the files. The order of the steps,
 * and the proof that a crash at any point is safe, are in docs/checkpoint.md.
 *
 * <p>Owned by one engine thread at a time.
 */
final class OnlineCheckpoint {

  private static final long DRAIN_PARK_NANOS = 50_000;
  private static final long STABLE_WAIT_NANOS = 10_000_000;

  /**
   * Time after which the checkpoint is cancelled if the log waits for space. The log may wait for
   * segments that only a checkpoint can free, or for the space of this checkpoint's journal.
   */
  private static final long FULL_NANOS = 1_000_000_000;

  private final Checkpointer checkpointer;
  private final DirtyPages dirty;
  private final RedoLog log;
  private final Execution execution;
  private final CheckpointPace pace;
  private final BooleanSupplier cancelled;
  private final MarkedPages pages;
  private final ReplayStart replayStart;

  private final CheckpointProgress folding =
      new CheckpointProgress() {
        @Override
        public void folded(long bytes) {
          requireNotStopped();
          pace.folded(bytes);
        }
      };

  /**
   * Creates the checkpoints of an open store.
   *
   * @param cancelled returns whether the store closes or has stopped; then a checkpoint that does
   *     not count yet is cancelled
   * @param replayStart where a replay starts, if the log has no files
   */
  OnlineCheckpoint(
      Checkpointer checkpointer,
      MarkedPages pages,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      CheckpointPace pace,
      BooleanSupplier cancelled,
      ReplayStart replayStart) {
    this.replayStart = replayStart;
    this.checkpointer = checkpointer;
    this.pages = pages;
    this.dirty = dirty;
    this.log = log;
    this.execution = execution;
    this.pace = pace;
    this.cancelled = cancelled;
  }

  /**
   * Makes one checkpoint.
   *
   * @throws CancellationException if it was cancelled; the store is unchanged, unless it has
   *     stopped
   * @throws io.howdah.core.storage.StorageException if a file cannot be opened or written; if this
   *     is {@linkplain io.howdah.core.storage.StorageException#isTransient() transient}, the store
   *     is unchanged, or has a journal that counts and must be folded, and the call may be repeated
   * @throws io.howdah.core.StoreFailedException if the log stopped
   */
  CheckpointResult run() {
    long started = execution.nanoTime();
    pace.start(dirty.count());
    if (checkpointer.isJournaled()) {
      checkpointer.foldLeftover();
    }
    if (isLogFull()) {
      awaitStable(log.lanes().clock()); // if this fails, a journal would use the space for nothing
    }
    // Before log.orderedClock(): records before the trim point have LSNs up to that clock.
    TrimPoint trim = log.hasFiles() ? log.trimPoint() : null;
    UnaryOperator<SuperblockBuilder> start = replayStart.take();
    dirty.turn();
    // A read-modify-write of the clock: a commit after it sees the new round, and drain() waits for
    // every commit before it (R16).
    long replayAboveLsn = log.orderedClock();
    drain(replayAboveLsn);
    long drained = execution.nanoTime();
    CheckpointState next = journal(replayAboveLsn);
    long journaled = execution.nanoTime();
    awaitStableOrDiscard(next.imageLsn());
    requireNotCancelled();
    checkpointer.journaled(next);
    long counted = execution.nanoTime();
    checkpointer.fold(trim, change -> folded(start.apply(change)), folding);
    dirty.clearFormer(next.sequence());
    if (trim != null) {
      log.trim(trim);
    }
    replayStart.folded(checkpointer.current());
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
   * Copies the store as of the last checkpoint, and the log after it. After a failure the target is
   * empty.
   *
   * @param target empty
   * @throws io.howdah.core.CorruptStoreException if the store's files are damaged
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written
   * @throws CancellationException if the store closes, or has stopped
   */
  BackupResult backup(Storage target) {
    pace.start(1);
    FileCopy copy = checkpointer.copyTo(target, pace, this::requireNotCancelled);
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
    requireNotCancelled();
    copy.complete(!extents.isEmpty(), lsn, execution);
    return new BackupResult(lsn, fromLsn, copy.bytes(), execution.nanoTime() - started);
  }

  /**
   * Starts to keep the log for an archive. No checkpoint trims it between the state that is
   * returned and the call of {@link RedoLog#follow}, since both are on the checkpoint's thread.
   */
  BaseStart startArchive(Object archive, long maxHeldBytes) {
    BaseStart start = startBase();
    log.follow(archive, maxHeldBytes);
    return start;
  }

  /** Returns the state from which a base of an archive starts. */
  BaseStart startBase() {
    return new BaseStart(checkpointer.current(), checkpointer.imageEnd());
  }

  /**
   * Reads pages of the image, each after verifying its checksum; returns false while a checkpoint
   * is not folded, because the image may then contain a part of it.
   */
  boolean readPages(long address, ByteBuffer pages) {
    requireNotCancelled();
    return checkpointer.readPages(address, pages);
  }

  /** Returns the state after the newest checkpoint. */
  Superblock state() {
    return checkpointer.current();
  }

  /** Waits until the words of all LSNs up to one are in the region, and their pages are marked. */
  private void drain(long lsn) {
    while (!log.haveCommitsEnded(lsn)) {
      requireNotCancelled();
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

  /**
   * Discards the journal. If the store has stopped, the next opening examines the journal instead.
   */
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
    // Orders the loads of the copied words before the load of the clock. Pairs with the store-store
    // fence in Committer.commitLocked: a commit takes LSN n before it stores its words, so after a
    // word of LSN n was copied the clock is at least n (docs/protocol.md, R13, R14). An acquire
    // load of the clock would not order the earlier loads.
    VarHandle.acquireFence();
    return log.lanes().clock();
  }

  /**
   * Waits until the log has forced the records of everything that was copied. Before that, the
   * journal must not count (R12).
   */
  private void awaitStableOrDiscard(long imageLsn) {
    try {
      awaitStable(imageLsn);
    } catch (StorageException e) {
      discardQuietly(); // it does not count yet, and the log needs the space
      throw e;
    }
  }

  /** Waits for the stable LSN; fails after a second in which the log waits for space. */
  private void awaitStable(long lsn) {
    long fullSince = execution.nanoTime();
    boolean full = isLogFull();
    while (!log.awaitStable(lsn, full ? 0 : STABLE_WAIT_NANOS)) {
      requireNotCancelled();
      long now = execution.nanoTime();
      full = isLogFull();
      if (!full) {
        fullSince = now;
      } else if (now - fullSince >= FULL_NANOS) {
        throw new StorageException(
            StorageException.Reason.NO_SPACE, "grow the log, for which a checkpoint waits,", null);
      } else {
        // The flusher forces without a request, so no request and no spin is needed.
        execution.parkNanos(this, STABLE_WAIT_NANOS);
      }
    }
  }

  private boolean isLogFull() {
    return log.whyNotStable().reason() == LogStall.Reason.FILE_SYSTEM_FULL;
  }

  private void requireNotCancelled() {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException("the store is closing");
    }
  }

  /**
   * Throws if the store has stopped. Such a store must not change a file: another process may have
   * opened it, or its memory may lack stores of a commit, for which the log decides.
   */
  private void requireNotStopped() {
    if (log.failure() != null) {
      throw new CancellationException("the store has stopped");
    }
  }

  private SuperblockBuilder folded(SuperblockBuilder next) {
    requireNotStopped();
    return next;
  }

  /** Returns whether a write of the superblock failed, so that its durable state is unknown. */
  boolean hasLostSuperblock() {
    return checkpointer.hasLostSuperblock();
  }
}
