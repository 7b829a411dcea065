package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the next segment on its own thread, so that a force does not wait until a segment is
 * filled with zeros. While the disk is full it keeps trying, first after {@value #RETRY_NANOS} ns,
 * then after twice the time, up to {@value #LONGEST_RETRY_NANOS}: each attempt takes space from
 * others, such as the checkpoint that could free some of the log.
 */
public final class SegmentPreparer {

  private static final long RETRY_NANOS = 50_000_000;
  private static final long LONGEST_RETRY_NANOS = 1_000_000_000;
  private static final long IDLE_NANOS = 100_000_000;

  private final SegmentFactory factory;
  private final Execution execution;
  private final EngineThread thread;
  private volatile @Nullable Segment ready;
  private volatile boolean full;
  private volatile Runnable whenScarce = () -> {};

  public SegmentPreparer(SegmentFactory factory, Execution execution, String name) {
    this.factory = factory;
    this.execution = execution;
    this.thread = new EngineThread(execution, name);
    thread.start(this::run);
  }

  /** Returns the prepared segment and starts on the next, or null if it is not ready yet. */
  @Nullable Segment poll() {
    Segment segment = ready;
    if (segment != null) {
      ready = null;
      thread.unpark();
    }
    return segment;
  }

  /** Returns why no further segment will be prepared, or null. */
  @Nullable Throwable failure() {
    return thread.failure();
  }

  /** Returns whether the last attempt found no space, or no descriptor to open a file with. */
  boolean isFull() {
    return full;
  }

  /**
   * Returns whether the file system has no space for a segment behind the prepared one, so that a
   * checkpoint should free some of the log while there is space left for it. Any thread.
   */
  public boolean isSpaceScarce() {
    return factory.isSpaceScarce();
  }

  /** Sets an action that this thread runs when space has become scarce. Any thread. */
  public void whenScarce(Runnable action) {
    whenScarce = action;
  }

  /** Tries at once, if the disk was full: there is a free segment now. Any thread. */
  public void tryAgain() {
    if (full) {
      thread.unpark();
    }
  }

  private void look() {
    boolean before = factory.isSpaceScarce();
    factory.look();
    if (!before && factory.isSpaceScarce()) {
      whenScarce.run();
    }
  }

  // What this throws the flusher finds as the failure; it stops the store, whose users are told.
  private void run() {
    long retryNanos = RETRY_NANOS;
    while (!thread.isClosing()) {
      if (ready != null) {
        look();
        execution.parkNanos(this, IDLE_NANOS);
        continue;
      }
      try {
        ready = factory.next();
        full = false;
        retryNanos = RETRY_NANOS;
      } catch (StorageException e) {
        if (!e.isTransient()) {
          throw e;
        }
        full = true;
        look();
        execution.parkNanos(this, retryNanos);
        retryNanos = Math.min(2 * retryNanos, LONGEST_RETRY_NANOS);
      }
    }
  }

  /** Ends the thread and closes an unused segment; it stays on disk, free for the next opening. */
  public void close() {
    thread.close();
    Segment segment = ready;
    if (segment != null) {
      ready = null;
      segment.file.close();
    }
  }
}
