package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.log.commit.Deadline;
import io.howdah.txn.TransactionTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends transactions that take too long. A thread makes their handles unusable, so the next call of
 * the body throws, and calls before that cost nothing more. The thread starts with the first limit.
 * Thread-safe.
 */
public final class TimeLimits {

  private static final long LOOK_NANOS = 2_000_000;
  private static final long IDLE_NANOS = 100_000_000;

  private final Execution execution;
  private final Set<Limit> running = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile @Nullable Thread thread;

  /** Whether the thread parks, or is about to, although a limit may have begun meanwhile. */
  private volatile boolean isIdle;

  private volatile boolean closing;
  private volatile boolean ended;

  public TimeLimits(Execution execution) {
    this.execution = execution;
  }

  /**
   * Returns a timeout in nanoseconds: 0 for a negative one, {@link Long#MAX_VALUE}, which is no
   * limit, for one of more than 292 years.
   */
  public static long nanos(Duration timeout) {
    if (timeout.isNegative()) {
      return 0;
    }
    boolean isCountable = timeout.toSeconds() < Long.MAX_VALUE / 1_000_000_000;
    return isCountable ? timeout.toNanos() : Long.MAX_VALUE;
  }

  /**
   * Starts a limit; {@link #end} ends it.
   *
   * @throws OutOfMemoryError if the thread cannot be started; the next limit tries again
   */
  public Limit begin(long nanos) {
    start();
    Limit limit = new Limit(execution, nanos);
    running.add(limit);
    // Added, then the mark; the thread sets the mark, then looks. One of the two sees the other.
    if (isIdle) {
      Thread thread = this.thread;
      if (thread != null) {
        execution.unpark(thread);
      }
    }
    return limit;
  }

  private void start() {
    if (started.compareAndSet(false, true)) {
      boolean isStarted = false;
      try {
        thread = execution.start("howdah-limits", this::run);
        isStarted = true;
      } finally {
        started.set(isStarted); // close() waits for a thread that was started, and for no other
      }
    }
  }

  public void end(Limit limit) {
    running.remove(limit);
  }

  private void run() {
    try {
      while (!closing) {
        expire(execution.nanoTime());
        isIdle = true;
        if (running.isEmpty()) {
          execution.parkNanos(this, IDLE_NANOS);
          isIdle = false;
        } else {
          isIdle = false;
          execution.parkNanos(this, LOOK_NANOS);
        }
      }
    } finally {
      ended = true;
    }
  }

  @SuppressWarnings("EmptyCatch") // the comment in it says why
  private void expire(long now) {
    try {
      running.removeIf(limit -> limit.expireIfOver(now));
    } catch (OutOfMemoryError e) {
      // The thread must go on for all other limits: it tries again in its next round.
    }
  }

  public void close() {
    closing = true;
    while (started.get() && !ended) {
      Thread thread = this.thread;
      if (thread != null) {
        execution.unpark(thread);
      }
      execution.parkThroughInterrupt(this, LOOK_NANOS);
    }
  }

  /**
   * The limit of one transaction, over all its attempts and waits. The thread ends a body whose
   * limit is over; waits read the clock themselves.
   */
  public static final class Limit implements Deadline {
    private final Execution execution;
    private final long deadline;
    private final long nanos;
    private volatile boolean isExpired;
    private volatile @Nullable Expirable handle;

    /** The transaction's thread, as soon as there is a handle. */
    private @Nullable Thread thread;

    private Limit(Execution execution, long nanos) {
      this.execution = execution;
      // Half of the range: the thread compares the deadline with a time from before this one.
      this.deadline = execution.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
      this.nanos = nanos;
    }

    /** Sets the handle that becomes unusable when the limit is over. */
    void guard(Expirable tx) {
      thread = Thread.currentThread();
      handle = tx;
      if (isExpired) {
        tx.expire(this);
      }
    }

    /** Returns whether a thread runs the transaction; for handles that the limit has ended. */
    @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
    boolean isOf(Thread caller) {
      return thread == caller;
    }

    private boolean expireIfOver(long now) {
      if (now - deadline < 0) {
        return false;
      }
      isExpired = true;
      Expirable tx = handle;
      if (tx != null) {
        tx.expire(this);
      }
      return true;
    }

    boolean isOver() {
      return isExpired || leftNanos() <= 0;
    }

    @Override
    public long leftNanos() {
      return deadline - execution.nanoTime();
    }

    @Override
    public void failIfOver() {
      if (isOver()) {
        throw exception();
      }
    }

    public long nanos() {
      return nanos;
    }

    TransactionTimeoutException exception() {
      return new TransactionTimeoutException(nanos);
    }
  }

  /** A handle that a time limit makes unusable. */
  interface Expirable {

    /** Makes the transaction's handle unusable, from another thread. */
    void expire(Limit limit);
  }
}
