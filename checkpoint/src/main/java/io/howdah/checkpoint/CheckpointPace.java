package io.howdah.checkpoint;

import io.howdah.core.Execution;
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

  private static final double LEAST_SHARE = 0.1;

  /** How fast the share grows: it is whole when the log leads by a quarter of its budget. */
  private static final double HASTE = 4;

  private static final long LONGEST_REST_NANOS = 20_000_000;

  /** How much of a checkpoint's work is done when its journal is. */
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

  private Runnable betweenSlices = () -> {};

  /**
   * Creates one.
   *
   * @param logBytes returns how much log was ever written
   * @param budgetBytes how much log may be written while one checkpoint is taken
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
   * @param pages how many are dirty, about
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
      // Until the journal counts, nothing is lost by giving up.
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
   * Ends a slice of work with a rest that fits it.
   *
   * @param done how much of the checkpoint is done, 0 to 1
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
      long rest = Math.min((long) (worked * (1 / share - 1)), LONGEST_REST_NANOS);
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
    double due = (double) (written - startLogBytes) / budgetBytes;
    return Math.clamp(LEAST_SHARE + HASTE * (due - done), LEAST_SHARE, 1);
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
