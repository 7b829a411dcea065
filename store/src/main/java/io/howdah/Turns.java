package io.howdah;

import io.howdah.core.Execution;

/**
 * Turns of virtual threads. A virtual thread keeps its carrier until it blocks, and transactions
 * that wait for nothing do not block: a few threads that run one transaction after the other would
 * keep all others from running. So a virtual thread lets others run after a transaction if none of
 * the store has done so for {@value #TURN_NANOS} ns. This is as rare on many processors as on one,
 * and ten thousand threads have a turn each within about a second. While the same few threads have
 * all turns, these become longer, up to {@value #LONGEST_TURN_NANOS} ns.
 *
 * <p>A yield alone is not fair. A carrier takes threads from one queue for as long as it has any,
 * and a thread that yields is in a queue all the time, while threads that platform threads have
 * started or woken may be in another one. A thread that parks, for however short a time, is in no
 * queue for a while, so that its carrier comes to the others. A park takes several times as long as
 * a yield, so half of the turns end with one where many threads have turns. Thread-safe.
 */
final class Turns {

  static final long TURN_NANOS = 80_000;
  static final long LONGEST_TURN_NANOS = 32 * TURN_NANOS;

  /** So many threads for each processor have their turns without a need for short ones. */
  private static final int FEW = 2;

  private final Execution execution;

  /**
   * The threads that have ended the last turns. Threads that end turns at the same time may leave
   * one out.
   */
  private final long[] last;

  private int next;

  /** When the last turn has ended. Two threads may find it long ago, and both end their turns. */
  private volatile long ended;

  private volatile long turnNanos = TURN_NANOS;

  Turns(Execution execution) {
    this.execution = execution;
    this.last = new long[FEW * execution.availableProcessors()];
    this.ended = execution.nanoTime();
  }

  /** Lets other threads run if the turn was long. */
  void endIfLong() {
    Thread thread = Thread.currentThread();
    if (!thread.isVirtual()) {
      return;
    }
    long now = execution.nanoTime();
    if (now - ended < turnNanos) {
      return;
    }
    ended = now;
    boolean areMany = !hadOneOfTheLast(thread.threadId());
    turnNanos = areMany ? TURN_NANOS : Math.min(2 * turnNanos, LONGEST_TURN_NANOS);
    if (areMany && next % 2 == 0) {
      execution.yieldNow();
    } else {
      execution.parkNanos(this, 1);
    }
  }

  /** Notes who ends a turn, and returns whether the same thread has ended one of the last. */
  private boolean hadOneOfTheLast(long thread) {
    for (long one : last) {
      if (one == thread) {
        return true;
      }
    }
    int at = next;
    last[at % last.length] = thread;
    next = (at + 1) & Integer.MAX_VALUE;
    return false;
  }
}
