package io.howdah.nvmsim.steps;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Off-heap words for programs without tracing; addresses are offsets in bytes, aligned to 8. Any
 * thread. Loads are acquires and stores are releases: a store of one thread that another one loads
 * makes everything before it visible, which is all that the locks of the programs need; exchange
 * and compare-and-set are volatile accesses.
 */
public final class NativeMemory implements AutoCloseable {
  private static final int LINE = 64;
  private static final VarHandle WORDS =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment words;

  /** Zeroed memory of this many bytes. */
  public NativeMemory(long length) {
    words = arena.allocate(length, LINE);
  }

  /** Pairs with {@link #setRelease}. */
  public long getAcquire(long offset) {
    return (long) WORDS.getAcquire(words, offset);
  }

  /** Pairs with {@link #getAcquire}. */
  public void setRelease(long offset, long value) {
    WORDS.setRelease(words, offset, value);
  }

  /** Stores the value and returns the old one. */
  public long exchange(long offset, long value) {
    return (long) WORDS.getAndSet(words, offset, value);
  }

  public boolean compareAndSet(long offset, long expected, long value) {
    return WORDS.compareAndSet(words, offset, expected, value);
  }

  /** Waits while the word holds the value, and returns what it holds then. */
  public long awaitNot(long offset, long value) {
    for (int spins = 0; ; spins++) {
      long now = getAcquire(offset);
      if (now != value) {
        return now;
      }
      SpinWait.step(spins);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
