package io.howdah.log;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import java.util.Arrays;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Threads and listeners that wait for a force, and the flusher's side of releasing them.
 *
 * <p>No wake-up is lost (docs/protocol.md, R3): a waiter enqueues itself, then reads volatile what
 * it waits for; the flusher stores that, volatile the stable LSN last, then polls the queue. It
 * does so in every round, also in one that forced nothing, and when it ends, so nobody sleeps for
 * ever.
 *
 * <p>At most {@value #QUEUE_CAPACITY} waiters stand in the hand-off queue at once; further ones
 * poll.
 */
final class StabilityWaiters {

  private static final int QUEUE_CAPACITY = 1 << 14;
  private static final long LONGEST_PARK_NANOS = 100_000_000;
  private static final long POLL_NANOS = 100_000;

  private final Region words;
  private final Execution execution;
  private final Doorbell doorbell;
  private final long spinNanos;
  private final int processors;
  private final MpscVarHandleArrayQueue<Waiter> arrivals =
      new MpscVarHandleArrayQueue<>(QUEUE_CAPACITY);

  /** The flusher's alone: those that no force has covered yet, in no order. */
  private @Nullable Waiter[] waiting = new Waiter[64];

  private int waitingCount;

  private volatile boolean stopped;

  StabilityWaiters(Region words, Execution execution, Doorbell doorbell, long spinNanos) {
    this.words = words;
    this.execution = execution;
    this.doorbell = doorbell;
    this.spinNanos = spinNanos;
    this.processors = execution.availableProcessors();
  }

  /**
   * Asks for a force that covers {@code lsn} and waits until it and all before it are stable.
   *
   * @param timeoutNanos 0 to look once, {@link Long#MAX_VALUE} for no limit
   * @return whether it is stable; false after the timeout, or once the log has stopped
   */
  boolean await(long lsn, long timeoutNanos) {
    return words.getLongVolatile(CommitWords.STABLE) >= lsn
        || await(lsn, new Waiter(lsn, null, 0, Thread.currentThread(), null), timeoutNanos);
  }

  /**
   * Asks for a force that covers {@code lsn} and waits until a ring is forced up to a position, and
   * all up to {@code dep} is stable.
   *
   * @param timeoutNanos 0 to look once
   * @return whether that is so; false after the timeout, or once the log has stopped
   */
  boolean awaitForced(long lsn, Ring ring, long position, long dep, long timeoutNanos) {
    Waiter waiter = new Waiter(dep, ring, position, Thread.currentThread(), null);
    return isDone(waiter) || await(lsn, waiter, timeoutNanos);
  }

  private boolean await(long lsn, Waiter waiter, long timeoutNanos) {
    if (timeoutNanos <= 0) {
      return false;
    }
    long deadline = execution.nanoTime() + Math.min(timeoutNanos, Long.MAX_VALUE / 2);
    long pending = words.getAndAddLong(CommitWords.PENDING, 1) + 1;
    request(lsn, pending);
    if (spinNanos > 0 && pending == 1 && spin(waiter, Math.min(spinNanos, timeoutNanos))) {
      words.getAndAddLong(CommitWords.PENDING, -1);
      return true;
    }
    return park(waiter, deadline, timeoutNanos == Long.MAX_VALUE);
  }

  /**
   * Asks for a force that covers {@code lsn} and has a callback told when it and all before it are
   * stable, or that the log has stopped. The callback may be told more than once, from the
   * flusher's thread or from the caller's.
   *
   * @return whether it will be told; false if too many wait to be queued right now
   */
  boolean tell(long lsn, RedoLog.Listener listener) {
    Waiter waiter = new Waiter(lsn, null, 0, null, listener);
    if (!arrivals.offer(waiter)) {
      return false;
    }
    request(lsn, words.getAndAddLong(CommitWords.PENDING, 1) + 1);
    // The round that covers it may have ended, and the log stopped, before it was in the queue.
    boolean done = isDone(waiter);
    if (done || stopped) {
      listener.released(done);
    }
    return true;
  }

  /** Raises what is wanted and wakes the flusher if it sleeps. */
  void request(long lsn) {
    request(lsn, Long.MAX_VALUE);
  }

  private void request(long lsn, long pending) {
    for (long wanted = words.getLongVolatile(CommitWords.WANTED);
        wanted < lsn;
        wanted = words.getLongVolatile(CommitWords.WANTED)) {
      if (words.compareAndSetLong(CommitWords.WANTED, wanted, lsn)) {
        break;
      }
    }
    doorbell.ring(pending);
  }

  private boolean isDone(Waiter waiter) {
    return waiter.isDone(words.getLongVolatile(CommitWords.STABLE));
  }

  /**
   * Spins while processors are idle: the hand-over costs less than a park and an unpark. A virtual
   * thread does not: its processor has others to run. Nor does anybody where the processors are no
   * more than this thread and the flusher take, and others go on committing.
   */
  private boolean spin(Waiter waiter, long nanos) {
    if (Thread.currentThread().isVirtual()) {
      return false;
    }
    boolean idle = words.getAndAddLong(CommitWords.SPINNERS, 1) + 1 < processors;
    try {
      long deadline = execution.nanoTime() + nanos;
      long clock = words.getLongOpaque(CommitWords.CLOCK);
      while (idle && !stopped && execution.nanoTime() - deadline < 0) {
        for (int i = 0; i < 32; i++) {
          execution.spinWait();
          if (isDone(waiter)) {
            return true;
          }
        }
        if (processors <= 2 && words.getLongOpaque(CommitWords.CLOCK) != clock) {
          return false;
        }
      }
    } finally {
      words.getAndAddLong(CommitWords.SPINNERS, -1);
    }
    return false;
  }

  private boolean park(Waiter waiter, long deadline, boolean isUnlimited) {
    boolean queued = arrivals.offer(waiter);
    boolean interrupted = false;
    try {
      while (!isDone(waiter)) {
        long left = deadline - execution.nanoTime();
        if (left <= 0 || stopped) {
          return false;
        }
        if (queued && isUnlimited) {
          execution.park(this); // the flusher goes through the queue every round, and at its end
        } else {
          execution.parkNanos(this, Math.min(left, queued ? LONGEST_PARK_NANOS : POLL_NANOS));
        }
        interrupted |= Thread.interrupted();
      }
      return true;
    } finally {
      waiter.gone = true;
      if (!queued) {
        words.getAndAddLong(CommitWords.PENDING, -1);
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The flusher's: tells that all LSNs up to this are stable, and wakes everyone whom that, or the
   * force of a ring before, has released.
   *
   * @return how many
   */
  int publish(long stable) {
    // Volatile, then the queue: pairs with a waiter's enqueue, then volatile load.
    words.setLongVolatile(CommitWords.STABLE, stable);
    int released = 0;
    int kept = 0;
    for (int i = 0; i < waitingCount; i++) {
      Waiter waiter = waiting[i];
      if (waiter != null && !release(waiter, stable)) {
        waiting[kept++] = waiter;
      } else {
        released++;
      }
    }
    for (Waiter waiter = arrivals.poll(); waiter != null; waiter = arrivals.poll()) {
      if (release(waiter, stable)) {
        released++;
      } else {
        if (kept == waiting.length) {
          waiting = Arrays.copyOf(waiting, 2 * kept);
        }
        waiting[kept++] = waiter;
      }
    }
    for (int i = kept; i < waitingCount; i++) {
      waiting[i] = null;
    }
    waitingCount = kept;
    return released;
  }

  private boolean release(Waiter waiter, long stable) {
    boolean done = waiter.isDone(stable);
    if (!done && !waiter.gone && !stopped) {
      return false;
    }
    words.getAndAddLong(CommitWords.PENDING, -1);
    if (waiter.thread != null) {
      execution.unpark(waiter.thread);
    }
    if (waiter.listener != null) {
      waiter.listener.released(done);
    }
    return true;
  }

  /** The flusher's: whether somebody is parked. */
  boolean isAnyoneParked() {
    return waitingCount != 0 || !arrivals.isEmpty();
  }

  /** Ends all waits with false, those of listeners at the flusher's next round, and later ones. */
  void stop() {
    stopped = true;
  }

  /** What one thread or listener waits for. */
  private static final class Waiter {
    private final long lsn;
    private final @Nullable Ring ring;
    private final long position;
    private final @Nullable Thread thread;
    private final RedoLog.@Nullable Listener listener;
    private volatile boolean gone;

    Waiter(
        long lsn,
        @Nullable Ring ring,
        long position,
        @Nullable Thread thread,
        RedoLog.@Nullable Listener listener) {
      this.lsn = lsn;
      this.ring = ring;
      this.position = position;
      this.thread = thread;
      this.listener = listener;
    }

    boolean isDone(long stable) {
      Ring ring = this.ring;
      return stable >= lsn && (ring == null || ring.forcedPosition() >= position);
    }
  }
}
