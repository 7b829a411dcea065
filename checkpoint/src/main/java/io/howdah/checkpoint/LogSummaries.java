package io.howdah.checkpoint;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.RedoLog;
import io.howdah.log.flush.TrimPoint;
import io.howdah.log.recovery.LogShortcut;
import io.howdah.log.recovery.SummaryFile;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link LogSummary} whenever the log has moved to another segment. It performs the first
 * steps of a checkpoint and copies the region's header only, no other page. The proof of a
 * checkpoint therefore holds for the header (docs/instant-open.md, section 8).
 *
 * <p>Owned by the thread that makes checkpoints.
 */
final class LogSummaries implements Runnable {

  private static final long DRAIN_PARK_NANOS = 50_000;
  private static final long STABLE_WAIT_NANOS = 10_000_000;
  private static final int MAX_STABLE_WAITS = 100;
  private static final long CHECK_NANOS = 5_000_000;
  private static final LateLogger LOGGER = new LateLogger("io.howdah.checkpoint");

  private final Storage storage;
  private final SuperblockFile superblock;
  private final Region region;
  private final DirtyPages dirty;
  private final RedoLog log;
  private final Execution execution;
  private final BooleanSupplier cancelled;

  /** Sequence of the segment that the last summary named, or of the first. */
  private long lastSegment;

  private int nextFile;
  private long lastCheckNanos;

  /**
   * Creates the summaries of an open store, after its deferred replay.
   *
   * @param cancelled returns whether the store closes or has stopped
   */
  LogSummaries(
      Storage storage,
      SuperblockFile superblock,
      Region region,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      BooleanSupplier cancelled) {
    this.storage = storage;
    this.superblock = superblock;
    this.region = region;
    this.dirty = dirty;
    this.log = log;
    this.execution = execution;
    this.cancelled = cancelled;
    this.lastCheckNanos = execution.nanoTime();
  }

  /**
   * Writes a summary if the log has moved to another segment since the last summary. A failure is
   * not reported, since its only effect is that the next opening reads more of the log.
   */
  @Override
  public void run() {
    long now = execution.nanoTime();
    if (now - lastCheckNanos < CHECK_NANOS) {
      return;
    }
    lastCheckNanos = now;
    TrimPoint point = log.trimPoint();
    // The first batch of a generation has nothing before it.
    if (point.segment() == lastSegment || point.batch() <= 1) {
      return;
    }
    lastSegment = point.segment();
    // After the trim point is determined: records before it have LSNs up to this clock.
    long replayAboveLsn = log.orderedClock();
    while (!log.haveCommitsEnded(replayAboveLsn)) {
      if (cancelled.getAsBoolean()) {
        return;
      }
      execution.parkNanos(this, DRAIN_PARK_NANOS);
    }
    // No checkpoint removes marks at the same time, since this thread makes the checkpoints.
    long sinceLsn = superblock.current().checkpoint().replayAboveLsn();
    long[] map = marks();
    if (map == null) {
      return;
    }
    long[] header = new long[LogSummaryLayout.REGION_HEADER_LENGTH / Long.BYTES];
    for (int i = 0; i < header.length; i++) {
      header[i] = region.getLongOpaque((long) i * Long.BYTES);
    }
    // As in a checkpoint: a copied word of LSN n was stored after n was taken (R14).
    VarHandle.acquireFence();
    long imageLsn = log.lanes().clock();
    // The summary may survive a crash in which the rings are lost, so it must not contain words
    // whose records are only in rings (I9).
    if (!awaitStable(imageLsn)) {
      return;
    }
    write(
        new LogSummary(
            new LogShortcut(
                superblock.current().generation(),
                point.segment(),
                point.batch(),
                sinceLsn,
                replayAboveLsn,
                imageLsn,
                log.lastBatch()),
            header,
            map));
  }

  /** Returns the marks, or null if they are too many or memory is exhausted. */
  private long @Nullable [] marks() {
    try {
      return dirty.marks(SummaryFile.MAX_MAP_WORDS);
    } catch (OutOfMemoryError e) {
      return null; // the log does not depend on it, and the next segment causes the next attempt
    }
  }

  /**
   * Waits until an LSN is stable. Returns false if that takes longer than a second: on a full disk
   * the log may wait for segments that a checkpoint must free, and this thread makes the
   * checkpoints.
   */
  private boolean awaitStable(long lsn) {
    try {
      for (int wait = 0; wait < MAX_STABLE_WAITS && !cancelled.getAsBoolean(); wait++) {
        if (log.awaitStable(lsn, STABLE_WAIT_NANOS)) {
          return true;
        }
      }
      return false;
    } catch (StoreFailedException e) {
      return false;
    }
  }

  private void write(LogSummary summary) {
    try {
      summary.write(storage, superblock.current(), nextFile);
      // After the write: if it fails, the other file still has the previous summary.
      nextFile = (nextFile + 1) % SummaryFile.FILES;
    } catch (StorageException | OutOfMemoryError e) {
      // The log does not depend on the summary. The next segment causes the next attempt.
      LOGGER
          .get()
          .log(
              System.Logger.Level.DEBUG,
              () ->
                  storage.describe() + ": a summary of the log was not written: " + e.getMessage());
    }
  }
}
