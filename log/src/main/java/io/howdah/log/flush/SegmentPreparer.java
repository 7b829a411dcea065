package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.engine.NoAction;
import io.howdah.core.storage.StorageException;
import io.howdah.log.report.LogStall;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the next segment on a separate thread, so that a force does not wait until a segment is
 * filled with zeros. While the disk is full, the thread repeats its attempt, first after {@value
 * #RETRY_NANOS} ns, then after twice the time, up to {@value #LONGEST_RETRY_NANOS}. Each attempt
 * takes space from other writers, for example from the checkpoint that would free log segments.
 */
public final class SegmentPreparer implements Runnable {

  private static final long RETRY_NANOS = 50_000_000;
  private static final long LONGEST_RETRY_NANOS = 1_000_000_000;
  private static final long IDLE_NANOS = 100_000_000;
  private static final long BUSY_PARK_NANOS = 50_000;

  /** Time of a park while the disk is full, which lasts at least seconds. */
  private static final long FULL_PARK_NANOS = 1_000_000;

  private final SegmentFactory factory;
  private final Execution execution;
  private final Runnable periodicAction;
  private final EngineThread thread;
  private volatile @Nullable Segment ready;
  private volatile boolean isFileSystemFull;
  private volatile Runnable whenScarce = NoAction.NONE;

  /**
   * Starts the thread.
   *
   * @param periodicAction runs on the thread about ten times a second, less often while the disk is
   *     full; it may write and force files
   */
  public SegmentPreparer(
      SegmentFactory factory, Execution execution, Runnable periodicAction, String name) {
    this.factory = factory;
    this.periodicAction = periodicAction;
    this.execution = execution;
    this.thread = new EngineThread(execution, name);
    thread.start(this);
  }

  /** Returns the prepared segment and starts the next one, or returns null if none is ready. */
  @Nullable Segment poll() {
    Segment segment = ready;
    if (segment != null) {
      ready = null;
      thread.unpark();
    }
    return segment;
  }

  /** Waits for the prepared segment and starts the next one. Called by the flusher's thread. */
  Segment await(BatchTarget.Waiting waiting) {
    while (true) {
      Segment segment = poll();
      if (segment != null) {
        waiting.waitsFor(LogStall.Reason.FLUSHER);
        return segment;
      }
      Throwable failure = failure();
      if (failure != null) {
        throw new IllegalStateException("no further log segment could be prepared", failure);
      }
      boolean isFull = isFileSystemFull;
      waiting.waitsFor(isFull ? LogStall.Reason.FILE_SYSTEM_FULL : LogStall.Reason.SEGMENT);
      if (isFull && waiting.isClosing()) {
        throw new IllegalStateException(
            "the file system is full: the last commits remain only in the rings");
      }
      waiting.watch(); // the file system may stay full for hours
      execution.parkNanos(this, isFull ? FULL_PARK_NANOS : BUSY_PARK_NANOS);
    }
  }

  /** Returns the failure because of which no further segment will be prepared, or null. */
  @Nullable Throwable failure() {
    return thread.failure();
  }

  /** Returns whether the last attempt failed for lack of space or of file descriptors. */
  boolean isFileSystemFull() {
    return isFileSystemFull;
  }

  /**
   * Returns whether the file system has no space for another segment after the prepared one. A
   * checkpoint should then free segments while there is space for the checkpoint itself. Any
   * thread.
   */
  public boolean isSpaceScarce() {
    return factory.isSpaceScarce();
  }

  /** Sets an action that the preparer's thread runs when space has become scarce. Any thread. */
  public void whenScarce(Runnable action) {
    whenScarce = action;
  }

  /** Retries immediately if the disk was full, because a segment is free now. Any thread. */
  public void tryAgain() {
    if (isFileSystemFull) {
      thread.unpark();
    }
  }

  private void updateScarce() {
    boolean before = factory.isSpaceScarce();
    factory.updateScarce();
    if (!before && factory.isSpaceScarce()) {
      whenScarce.run();
    }
  }

  /** The body of the thread. The flusher reads an exception as the failure, and stops the store. */
  @Override
  public void run() {
    long retryNanos = RETRY_NANOS;
    while (!thread.isClosing()) {
      periodicAction.run();
      if (ready != null) {
        updateScarce();
        execution.parkNanos(this, IDLE_NANOS);
        continue;
      }
      try {
        ready = factory.next();
        isFileSystemFull = false;
        retryNanos = RETRY_NANOS;
      } catch (StorageException e) {
        if (!e.isTransient()) {
          throw e;
        }
        isFileSystemFull = true;
        updateScarce();
        execution.parkNanos(this, retryNanos);
        retryNanos = Math.min(2 * retryNanos, LONGEST_RETRY_NANOS);
      }
    }
  }

  /** Ends the thread and closes an unused segment, which the next opening finds as a free one. */
  public void close() {
    thread.close();
    Segment segment = ready;
    if (segment != null) {
      ready = null;
      segment.file.close();
    }
  }
}
