package io.howdah.txn.words;

import io.howdah.core.Execution;

/**
 * The limit of a retry's wait: a time, and optionally an interrupt of the thread. The body runs
 * again when the limit ends the wait. Unlike the time limit of a transaction, it limits only the
 * wait: a body that runs after the wait commits at any time. Used by one thread.
 */
public final class RetryLimit {

  private final Execution execution;
  private final long started;
  private final long nanos;
  private final boolean isInterruptible;

  /**
   * Starts a limit.
   *
   * @param nanos maximum time in nanoseconds; 0 or less does not wait, and {@link Long#MAX_VALUE}
   *     sets no limit of time
   * @param isInterruptible whether an interrupt ends the wait. The body must test the interrupt
   *     flag; otherwise it runs in a loop while the flag is set
   */
  public RetryLimit(Execution execution, long nanos, boolean isInterruptible) {
    this.execution = execution;
    this.started = execution.nanoTime();
    this.nanos = Math.max(0, nanos);
    this.isInterruptible = isInterruptible;
  }

  /** Returns whether the time has expired. */
  public boolean isTimeOver() {
    return leftNanos() <= 0;
  }

  private long leftNanos() {
    return nanos == Long.MAX_VALUE ? nanos : nanos - (execution.nanoTime() - started);
  }

  /** Returns the limit whose time expires first, this one or the other. */
  public RetryLimit sooner(RetryLimit other) {
    return leftNanos() <= other.leftNanos() ? this : other;
  }

  /** Returns whether the limit ends the wait now. */
  public boolean isOver() {
    return isTimeOver() || (isInterruptible && Thread.currentThread().isInterrupted());
  }

  public boolean isInterruptible() {
    return isInterruptible;
  }

  /** Returns the time to park in nanoseconds, at most {@code parkNanos}. */
  public long park(long parkNanos) {
    return Math.min(Math.max(1, leftNanos()), parkNanos);
  }
}
