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
 * The time limits of transactions. A thread invalidates the handles of transactions whose limit has
 * expired, so the body's next call throws, and a call needs no test of the time. The thread starts
 * with the first limit. Thread-safe.
 */
public final class TimeLimits {

  private static final long CHECK_NANOS = 2_000_000;

  /** The first limit that is added wakes the thread. */
  private static final long IDLE_NANOS = 5_000_000_000L;

  private final Execution execution;
  private final Set<Limit> running = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile @Nullable Thread thread;

  /** Whether the thread parks or will park, although a limit may have been added meanwhile. */
  private volatile boolean isIdle;

  private volatile boolean closing;
  private volatile boolean ended;

  public TimeLimits(Execution execution) {
    this.execution = execution;
  }

  /**
   * Returns a timeout in nanoseconds: 0 if it is negative, and {@link Long#MAX_VALUE}, which means
   * no limit, if it exceeds 292 years.
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
    // Dekker: this thread adds the limit, then reads isIdle. The limits' thread sets isIdle, then
    // reads the limits (run). So at least one sees the other's write.
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
        started.set(isStarted); // close() waits only for a thread that was started
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
          execution.parkNanos(this, CHECK_NANOS);
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
      // The thread must continue for the other limits. It tries again in its next round.
    }
  }

  public void close() {
    closing = true;
    while (started.get() && !ended) {
      Thread thread = this.thread;
      if (thread != null) {
        execution.unpark(thread);
      }
      execution.parkThroughInterrupt(this, CHECK_NANOS);
    }
  }

  /**
   * The limit of one transaction, for all its attempts and waits. The thread ends a body whose
   * limit has expired; waits read the clock themselves.
   */
  public static final class Limit implements Deadline {
    private final Execution execution;
    private final long deadline;
    private final long nanos;
    private volatile boolean isExpired;
    private volatile @Nullable Expirable handle;

    /** The transaction's thread; null until the first handle. */
    private @Nullable Thread thread;

    private Limit(Execution execution, long nanos) {
      this.execution = execution;
      // At most half of the range, so that a comparison with an earlier time does not overflow.
      this.deadline = execution.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
      this.nanos = nanos;
    }

    /** Sets the handle that is invalidated when the limit expires. */
    void guard(Expirable tx) {
      thread = Thread.currentThread();
      handle = tx;
      if (isExpired) {
        tx.expire(this);
      }
    }

    /**
     * Returns whether a thread runs the transaction. For handles that the limit has invalidated.
     */
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

  /** A handle that a time limit invalidates. */
  interface Expirable {

    /** Invalidates the transaction's handle, from another thread. */
    void expire(Limit limit);
  }
}
