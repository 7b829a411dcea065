package io.howdah.log;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import java.util.PriorityQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

/**
 * Threads that wait for an LSN to become stable, and the flusher's side of waking them.
 *
 * <p>No wake-up is lost (docs/protocol.md, R3): a waiter enqueues itself, then reads the stable LSN
 * volatile; the flusher stores it volatile, then polls the queue. Every park is timed all the same.
 *
 * <p>At most {@value #QUEUE_CAPACITY} waiters stand in the hand-off queue at once; further ones
 * poll.
 */
final class StabilityWaiters {

  private static final int QUEUE_CAPACITY = 1 << 14;
  private static final long LONGEST_PARK_NANOS = 100_000_000;
  private static final long POLL_NANOS = 100_000;
  private static final int PURGE_THRESHOLD = 1 << 12;

  private final Region words;
  private final Execution execution;
  private final Doorbell doorbell;
  private final long spinNanos;
  private final int processors;
  private final MpscVarHandleArrayQueue<Waiter> arrivals =
      new MpscVarHandleArrayQueue<>(QUEUE_CAPACITY);

  /** The flusher's alone. */
  private final PriorityQueue<Waiter> waiting =
      new PriorityQueue<>((a, b) -> Long.compare(a.lsn, b.lsn));

  private volatile boolean stopped;

  StabilityWaiters(Region words, Execution execution, Doorbell doorbell, long spinNanos) {
    this.words = words;
    this.execution = execution;
    this.doorbell = doorbell;
    this.spinNanos = spinNanos;
    this.processors = execution.availableProcessors();
  }

  /**
   * Asks for a force that covers {@code lsn} and waits for it.
   *
   * @param timeoutNanos 0 to look once
   * @return whether it is stable; false after the timeout, or once the log has stopped
   */
  boolean await(long lsn, long timeoutNanos) {
    if (words.getLongVolatile(CommitWords.STABLE) >= lsn) {
      return true;
    }
    if (timeoutNanos <= 0) {
      return false;
    }
    request(lsn);
    long deadline = execution.nanoTime() + Math.min(timeoutNanos, Long.MAX_VALUE / 2);
    if (spinNanos > 0 && spin(lsn, Math.min(spinNanos, timeoutNanos))) {
      return true;
    }
    return park(lsn, deadline);
  }

  /** Raises what is wanted and wakes the flusher if it sleeps. */
  void request(long lsn) {
    for (long wanted = words.getLongVolatile(CommitWords.WANTED);
        wanted < lsn;
        wanted = words.getLongVolatile(CommitWords.WANTED)) {
      if (words.compareAndSetLong(CommitWords.WANTED, wanted, lsn)) {
        break;
      }
    }
    doorbell.ring();
  }

  /** Spins while processors are idle: the hand-over costs less than a park and an unpark. */
  private boolean spin(long lsn, long nanos) {
    boolean idle = words.getAndAddLong(CommitWords.SPINNERS, 1) + 1 < processors;
    try {
      long deadline = execution.nanoTime() + nanos;
      while (idle && !stopped && execution.nanoTime() - deadline < 0) {
        for (int i = 0; i < 32; i++) {
          execution.spinWait();
          if (words.getLongVolatile(CommitWords.STABLE) >= lsn) {
            return true;
          }
        }
      }
    } finally {
      words.getAndAddLong(CommitWords.SPINNERS, -1);
    }
    return false;
  }

  private boolean park(long lsn, long deadline) {
    Waiter waiter = new Waiter(lsn, Thread.currentThread());
    boolean queued = arrivals.offer(waiter);
    boolean interrupted = false;
    try {
      while (words.getLongVolatile(CommitWords.STABLE) < lsn) {
        long left = deadline - execution.nanoTime();
        if (left <= 0 || stopped) {
          return false;
        }
        execution.parkNanos(this, Math.min(left, queued ? LONGEST_PARK_NANOS : POLL_NANOS));
        interrupted |= Thread.interrupted();
      }
      return true;
    } finally {
      waiter.gone = true;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The flusher's: tells that all LSNs up to this are stable, and wakes everyone it covers. */
  void publish(long stable) {
    // Volatile, then the queue: pairs with a waiter's enqueue, then volatile load.
    words.setLongVolatile(CommitWords.STABLE, stable);
    for (Waiter waiter = arrivals.poll(); waiter != null; waiter = arrivals.poll()) {
      waiting.add(waiter);
    }
    if (waiting.size() > PURGE_THRESHOLD) {
      waiting.removeIf(waiter -> waiter.gone);
    }
    for (Waiter first = waiting.peek();
        first != null && (first.lsn <= stable || first.gone);
        first = waiting.peek()) {
      waiting.poll();
      execution.unpark(first.thread);
    }
  }

  /** The flusher's: whether somebody is parked. */
  boolean isAnyoneParked() {
    return !waiting.isEmpty() || !arrivals.isEmpty();
  }

  /** Ends all waits with false, now and later. */
  void stop() {
    stopped = true;
  }

  private static final class Waiter {
    private final long lsn;
    private final Thread thread;
    private volatile boolean gone;

    Waiter(long lsn, Thread thread) {
      this.lsn = lsn;
      this.thread = thread;
    }
  }
}
