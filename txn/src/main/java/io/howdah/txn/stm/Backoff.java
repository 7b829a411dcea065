package io.howdah.txn.stm;

import io.howdah.core.Execution;

/**
 * How long a transaction waits before it runs again. A conflict on a crowded machine usually means
 * that the winner is preempted in its commit, so the wait soon gives the processor away: spin, then
 * yield, then park for a random, exponentially growing time.
 */
final class Backoff {

  /** Most spins in one go, also of a read that meets a locked orec. */
  static final int MAX_SPINS = 50;

  /**
   * Most that one adds to them which has read and written much: as long as a large commit takes.
   */
  static final int MAX_MORE_SPINS = 2000;

  private static final int SPINNING_ABORTS = 2;
  private static final int YIELDING_ABORTS = 6;
  private static final long FIRST_PARK_NANOS = 10_000;
  private static final int MAX_DOUBLINGS = 7;

  private final Execution execution;
  private long random;

  Backoff(Execution execution, long seed) {
    this.execution = execution;
    this.random = seed * 0x9E3779B97F4A7C15L | 1;
  }

  /** Waits after the given number of aborts in a row, from 1; at most about 1.3 ms. */
  void pause(int aborts) {
    if (aborts <= SPINNING_ABORTS) {
      for (int i = 0; i < MAX_SPINS; i++) {
        execution.spinWait();
      }
    } else if (aborts <= YIELDING_ABORTS) {
      execution.yieldNow();
    } else {
      long bound = FIRST_PARK_NANOS << Math.min(aborts - YIELDING_ABORTS - 1, MAX_DOUBLINGS);
      execution.parkThroughInterrupt(this, 1 + Math.floorMod(next(), bound));
    }
  }

  /** Marsaglia's xorshift64: what matters is that two losers do not wait equally long. */
  private long next() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return random;
  }
}
