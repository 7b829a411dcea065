package io.howdah.nvmsim.record;

import io.howdah.nvmsim.steps.SpinWait;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A bank of striped locks over 64-byte blocks of memory, each with a Lamport clock. Whoever holds
 * the stripes of an access performs the access and stamps it as one step, so stamps order
 * conflicting accesses as memory did (<i>Memory Persistency</i>, ISCA 2014, §7). Any thread.
 */
final class LockBank {
  private static final VarHandle WORDS =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();
  private static final int BLOCK_SHIFT = 6;

  /** Longs per stripe: two cache lines apart, so that neighbours do not share one or its pair. */
  private static final int STRIDE = 16;

  private static final int LOCK = 0;
  private static final int CLOCK = 1;

  private final long[] stripes;
  private final int mask;

  LockBank(int log2Stripes) {
    if (log2Stripes < 0 || log2Stripes > 20) {
      throw new IllegalArgumentException("log2Stripes must be 0 to 20: " + log2Stripes);
    }
    this.stripes = new long[STRIDE << log2Stripes];
    this.mask = (1 << log2Stripes) - 1;
  }

  int stripeOf(long address) {
    return (int) (address >>> BLOCK_SHIFT) & mask;
  }

  void lock(int stripe) {
    int spins = 0;
    // Acquire; pairs with the release in unlock, so the clock and the memory behind it are seen.
    while (!WORDS.compareAndSet(stripes, stripe * STRIDE + LOCK, 0L, 1L)) {
      SpinWait.step(spins++);
    }
  }

  /** Release; pairs with the compare-and-set in lock. */
  void unlock(int stripe) {
    WORDS.setRelease(stripes, stripe * STRIDE + LOCK, 0L);
  }

  /** The stripe's clock; its holder's business. */
  long clock(int stripe) {
    return (long) WORDS.getOpaque(stripes, stripe * STRIDE + CLOCK);
  }

  void setClock(int stripe, long clock) {
    WORDS.setOpaque(stripes, stripe * STRIDE + CLOCK, clock);
  }
}
