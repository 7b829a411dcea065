package io.howdah.txn.words;

import io.howdah.core.Execution;

/**
 * What ends the wait of a retry beside a change: a time, and perhaps an interrupt of the thread.
 * The body runs again then. Unlike the time limit of a transaction it bounds nothing but the wait,
 * so a body that has found what it waited for commits however late it is. Used by one thread.
 */
public final class RetryLimit {

  private final Execution execution;
  private final long started;
  private final long nanos;
  private final boolean isInterruptible;

  /**
   * Begins a limit.
   *
   * @param nanos 0 or less does not wait; {@link Long#MAX_VALUE} for no time
   * @param isInterruptible whether an interrupt ends the wait. The body must look at the flag, or
   *     it runs again and again
   */
  public RetryLimit(Execution execution, long nanos, boolean isInterruptible) {
    this.execution = execution;
    this.started = execution.nanoTime();
    this.nanos = Math.max(0, nanos);
    this.isInterruptible = isInterruptible;
  }

  /** Returns whether the time is over. */
  public boolean isTimeOver() {
    return leftNanos() <= 0;
  }

  private long leftNanos() {
    return nanos == Long.MAX_VALUE ? nanos : nanos - (execution.nanoTime() - started);
  }

  /** Returns the one of two limits whose time ends first. */
  public RetryLimit sooner(RetryLimit other) {
    return leftNanos() <= other.leftNanos() ? this : other;
  }

  /** Returns whether the wait has ended. */
  public boolean isOver() {
    return isTimeOver() || (isInterruptible && Thread.currentThread().isInterrupted());
  }

  public boolean isInterruptible() {
    return isInterruptible;
  }

  /** Returns how long to park, at most so long. */
  public long park(long parkNanos) {
    return Math.min(Math.max(1, leftNanos()), parkNanos);
  }
}
