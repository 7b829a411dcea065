package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.LogFullException;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.LogSpace;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Back-pressure: commits that wait for free space while the rings are full, until the flusher has
 * forced records. The flusher wakes at most {@value #QUEUE_CAPACITY} threads; further threads poll.
 *
 * <p>Commits that wait for space learn here that the log has stopped, so this class owns that
 * state: {@link CommitWords#STOPPED} and the failure, for waits of every kind.
 */
public final class SpaceWaiters implements LogSpace {

  private static final int QUEUE_CAPACITY = 1 << 12;
  private static final long PARK_NANOS = 1_000_000;

  /** Threads poll for a trim of the log. It takes a checkpoint, so a wake-up would save no time. */
  private static final long BLOCKED_PARK_NANOS = 5_000_000;

  private final Region commitWords;
  private final Execution execution;
  private final Doorbell doorbell;
  private final long fullTimeoutNanos;
  private final MpscVarHandleArrayQueue<Thread> arrivals =
      new MpscVarHandleArrayQueue<>(QUEUE_CAPACITY);

  private final long maxLogBytes;

  private volatile boolean full;
  private volatile @Nullable Throwable whyNotTrimmed;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  public SpaceWaiters(
      Region commitWords,
      Execution execution,
      Doorbell doorbell,
      long fullTimeoutNanos,
      long maxLogBytes) {
    this.commitWords = commitWords;
    this.execution = execution;
    this.doorbell = doorbell;
    this.fullTimeoutNanos = fullTimeoutNanos;
    this.maxLogBytes = maxLogBytes;
  }

  @Override
  public void failIfStopped() {
    if (commitWords.getLongOpaque(CommitWords.STOPPED) != 0) {
      Throwable cause = failure.get();
      if (cause != null) {
        throw new StoreFailedException(
            "the store stopped after a failure and accepts no commits; close it and open it again"
                + " to recover every acknowledged commit: "
                + cause,
            cause);
      }
      throw new StoreClosedException("the store is closed");
    }
  }

  @Override
  public void await(BooleanSupplier hasSpace, Deadline deadline) {
    boolean interrupted = false;
    long started = execution.nanoTime();
    try {
      while (!hasSpace.getAsBoolean()) {
        failIfStopped();
        deadline.failIfOver();
        if (full && execution.nanoTime() - started >= fullTimeoutNanos) {
          throw new LogFullException(
              "the log cannot grow because the file system is full, or because too many files are"
                  + " open; this transaction had no effect; free some space, or raise the"
                  + " limit of descriptors (ulimit -n), and repeat it");
        }
        arrivals.offer(Thread.currentThread());
        doorbell.ring();
        if (hasSpace.getAsBoolean()) {
          return;
        }
        execution.parkNanos(this, deadline.park(PARK_NANOS));
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void awaitTrim(BooleanSupplier lifted, Deadline deadline) {
    long started = execution.nanoTime();
    while (!lifted.getAsBoolean()) {
      failIfStopped();
      deadline.failIfOver();
      if (execution.nanoTime() - started >= fullTimeoutNanos) {
        Throwable cause = whyNotTrimmed;
        throw new LogFullException(
            "the log has grown to its limit of "
                + maxLogBytes
                + " bytes, and for "
                + fullTimeoutNanos / 1_000_000
                + " ms no checkpoint has freed any of it"
                + (cause == null ? "" : " (the last one failed: " + cause.getMessage() + ")")
                + "; this transaction had no effect; repeat it, or open the store with a larger"
                + " maxLogBytes",
            cause);
      }
      execution.parkThroughInterrupt(this, deadline.park(BLOCKED_PARK_NANOS));
    }
  }

  /** Records the reason that the last checkpoint freed no segment, or null. */
  public void notTrimmed(@Nullable Throwable cause) {
    whyNotTrimmed = cause;
  }

  /** Called by the flusher: returns whether a commit waits for a force. */
  boolean isAnyoneWaiting() {
    return !arrivals.isEmpty();
  }

  /** Called by the flusher: wakes all waiting commits. */
  void wake() {
    for (Thread thread = arrivals.poll(); thread != null; thread = arrivals.poll()) {
      execution.unpark(thread);
    }
  }

  /** Called by the flusher: sets whether it lacks a segment because the disk is full. */
  void setFileSystemFull(boolean value) {
    full = value;
  }

  public @Nullable Throwable failure() {
    return failure.get();
  }

  /** Rejects commits from now on. The first failure is kept. */
  public void stop(@Nullable Throwable cause) {
    if (cause != null) {
      failure.compareAndSet(null, cause);
    }
    commitWords.setLongVolatile(CommitWords.STOPPED, 1);
  }
}
