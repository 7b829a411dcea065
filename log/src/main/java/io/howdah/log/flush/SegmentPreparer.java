package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one segment ready ahead of the flusher, on a thread of its own, so that a force does not
 * wait for a segment to be written with zeros. While the disk is full it keeps trying, every
 * {@value #RETRY_NANOS} ns.
 */
public final class SegmentPreparer {

  private static final long RETRY_NANOS = 50_000_000;
  private static final long IDLE_NANOS = 100_000_000;

  private final SegmentFactory factory;
  private final Execution execution;
  private final Thread thread;
  private volatile @Nullable Segment ready;
  private volatile @Nullable Throwable failure;
  private volatile boolean full;
  private volatile boolean closing;
  private volatile boolean ended;

  public SegmentPreparer(SegmentFactory factory, Execution execution, String name) {
    this.factory = factory;
    this.execution = execution;
    this.thread = execution.start(name, this::run);
  }

  /** Returns the prepared segment and starts on the next, or null if it is not ready yet. */
  @Nullable Segment poll() {
    Segment segment = ready;
    if (segment != null) {
      ready = null;
      execution.unpark(thread);
    }
    return segment;
  }

  /** Returns why no segment will come any more, or null. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Returns whether the last attempt found no space, or no descriptor to open a file with. */
  boolean isFull() {
    return full;
  }

  private void run() {
    try {
      while (!closing) {
        if (ready != null) {
          execution.parkNanos(this, IDLE_NANOS);
          continue;
        }
        try {
          ready = factory.next();
          full = false;
        } catch (StorageException e) {
          if (!e.isTransient()) {
            throw e;
          }
          full = true;
          execution.parkNanos(this, RETRY_NANOS);
        }
      }
    } catch (Throwable t) {
      // Not rethrown: the flusher finds it and stops the store, whose users are told.
      failure = t;
    } finally {
      ended = true;
    }
  }

  /** Ends the thread and closes an unused segment; it stays on disk, free for the next opening. */
  public void close() {
    closing = true;
    while (!ended) {
      execution.unpark(thread);
      execution.parkNanos(this, 100_000);
    }
    Segment segment = ready;
    if (segment != null) {
      ready = null;
      segment.file.close();
    }
  }
}
