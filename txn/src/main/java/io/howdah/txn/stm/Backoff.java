package io.howdah.txn.stm;

import io.howdah.core.Execution;

/**
 * The wait of a transaction before its next attempt. It spins, then yields, then parks for a random
 * time that grows exponentially. On a busy machine, a conflict usually means that the other thread
 * is preempted in its commit, so the wait yields the processor after a few spins.
 */
public final class Backoff {

  /** Maximum number of spins, also of a read that finds an orec locked. */
  public static final int MAX_SPINS = 50;

  /**
   * Maximum number of further spins of a transaction with many reads and writes. They take about as
   * long as a large commit.
   */
  public static final int MAX_MORE_SPINS = 2000;

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

  /** Waits after {@code aborts} consecutive aborts, 1 or more; at most about 1.3 ms. */
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

  /** Marsaglia's xorshift64. Two transactions with a conflict should not wait equally long. */
  private long next() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return random;
  }
}
