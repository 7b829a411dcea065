package io.howdah.checkpoint;

import io.howdah.core.Execution;
import io.howdah.core.engine.NoAction;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Counts the work of a checkpoint and limits its share of the processor and the disk. While commits
 * run, the checkpoint works for a slice of time and then rests, so that it uses a small share of
 * one processor. The share increases if the log approaches its limit faster than the checkpoint
 * progresses. Without commits there is no rest. Used by one thread.
 */
final class CheckpointPace implements CheckpointProgress {

  /** Number of pages that are copied between two reads of the clock: about 50 microseconds. */
  private static final int SLICE_PAGES = 32;

  /** Number of bytes that are folded between two reads of the clock. */
  private static final int SLICE_BYTES = 1 << 17;

  /** Time without commits after which the checkpoint does not rest. */
  private static final long QUIET_NANOS = 20_000_000;

  private static final double MIN_SHARE = 0.1;

  /**
   * Growth of the share: it is 1 if the log is ahead of the checkpoint by a quarter of its budget.
   */
  private static final double SHARE_GROWTH = 4;

  private static final long MAX_REST_NANOS = 20_000_000;

  /** The part of a checkpoint's work that is done when its journal is written. */
  private static final double JOURNAL_PART = 0.6;

  private final Execution execution;
  private final BooleanSupplier cancelled;
  private final LongSupplier logBytes;
  private final long budgetBytes;

  private long dirtyPages;
  private long wholePages;
  private long lines;
  private long journalBytes;
  private long imageBytes;
  private long restNanos;

  private long expectedPages;
  private long startLogBytes;
  private long lastLogBytes;
  private long lastLogNanos;
  private long sliceStartNanos;
  private long sliceBytes;

  private Runnable betweenSlices = NoAction.NONE;

  /**
   * Creates the pace of a store's checkpoints.
   *
   * @param logBytes returns the number of bytes that the log has written
   * @param budgetBytes number of bytes of log that may be written during one checkpoint
   */
  CheckpointPace(
      Execution execution, BooleanSupplier cancelled, LongSupplier logBytes, long budgetBytes) {
    this.execution = execution;
    this.cancelled = cancelled;
    this.logBytes = logBytes;
    this.budgetBytes = budgetBytes;
  }

  /** Sets an action that runs between two slices of work. */
  void betweenSlices(Runnable action) {
    betweenSlices = action;
  }

  /**
   * Starts to count a checkpoint.
   *
   * @param pages approximate number of dirty pages
   */
  void start(long pages) {
    dirtyPages = 0;
    wholePages = 0;
    lines = 0;
    journalBytes = 0;
    imageBytes = 0;
    restNanos = 0;
    expectedPages = Math.max(pages, 1);
    startLogBytes = logBytes.getAsLong();
    lastLogBytes = startLogBytes;
    sliceStartNanos = execution.nanoTime();
    lastLogNanos = sliceStartNanos - QUIET_NANOS;
    sliceBytes = 0;
  }

  @Override
  public void copied(int lineCount, boolean whole) {
    dirtyPages++;
    if (whole) {
      wholePages++;
    } else {
      lines += lineCount;
    }
    if (dirtyPages % SLICE_PAGES == 0) {
      // A journal that does not count yet may be discarded.
      if (cancelled.getAsBoolean()) {
        throw new CancellationException("the store is closing");
      }
      rest(JOURNAL_PART * Math.min(1, (double) dirtyPages / expectedPages));
    }
  }

  @Override
  public void journaled(long bytes) {
    journalBytes += bytes;
  }

  @Override
  public void folded(long bytes) {
    imageBytes += bytes;
    sliceBytes += bytes;
    if (sliceBytes >= SLICE_BYTES) {
      sliceBytes = 0;
      double part = Math.min(1, (double) imageBytes / Math.max(journalBytes, 1));
      rest(JOURNAL_PART + (1 - JOURNAL_PART) * part);
    }
  }

  /**
   * Ends a slice of work with a rest of proportional length.
   *
   * @param done the part of the checkpoint that is done, 0 to 1
   */
  private void rest(double done) {
    betweenSlices.run();
    long now = execution.nanoTime();
    long written = logBytes.getAsLong();
    if (written != lastLogBytes) {
      lastLogBytes = written;
      lastLogNanos = now;
    }
    double share = share(done, written);
    if (now - lastLogNanos < QUIET_NANOS && share < 1 && !cancelled.getAsBoolean()) {
      long worked = now - sliceStartNanos;
      long rest = Math.min((long) (worked * (1 / share - 1)), MAX_REST_NANOS);
      long deadline = now + rest;
      for (long left = rest; left > 0; left = deadline - execution.nanoTime()) {
        execution.parkNanos(this, left);
      }
      sliceStartNanos = execution.nanoTime();
      restNanos += sliceStartNanos - now;
    } else {
      sliceStartNanos = now;
    }
  }

  private double share(double done, long written) {
    double used = (double) (written - startLogBytes) / budgetBytes;
    return Math.clamp(MIN_SHARE + SHARE_GROWTH * (used - done), MIN_SHARE, 1);
  }

  long dirtyPages() {
    return dirtyPages;
  }

  long wholePages() {
    return wholePages;
  }

  long lines() {
    return lines;
  }

  long journalBytes() {
    return journalBytes;
  }

  long imageBytes() {
    return imageBytes;
  }

  long restNanos() {
    return restNanos;
  }
}
