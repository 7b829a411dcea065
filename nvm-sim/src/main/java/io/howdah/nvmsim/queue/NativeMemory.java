package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.SpinWait;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Off-heap words and the MCS lock on them. Offsets are in bytes; 0 stands for no node. */
final class NativeMemory {
  static final int LINE = 64;
  static final int NEXT = 0;
  static final int LOCKED = 8;

  private static final VarHandle WORDS =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment words;

  NativeMemory(long length) {
    words = arena.allocate(length, LINE);
  }

  long get(long offset) {
    return words.get(ValueLayout.JAVA_LONG, offset);
  }

  void set(long offset, long value) {
    words.set(ValueLayout.JAVA_LONG, offset, value);
  }

  /** Pairs with {@link #setRelease}. */
  long getAcquire(long offset) {
    return (long) WORDS.getAcquire(words, offset);
  }

  /** Pairs with {@link #getAcquire}. */
  void setRelease(long offset, long value) {
    WORDS.setRelease(words, offset, value);
  }

  void copy(long from, long to, long length) {
    MemorySegment.copy(words, from, words, to, length);
  }

  void lock(long lock, long node) {
    set(node + NEXT, 0);
    // The node must be visible before the lock word names it: getAndSet is a full volatile access.
    long ahead = (long) WORDS.getAndSet(words, lock, node);
    if (ahead != 0) {
      set(node + LOCKED, 1);
      setRelease(ahead + NEXT, node);
      awaitNot(node + LOCKED, 1);
    }
  }

  void unlock(long lock, long node) {
    long next = getAcquire(node + NEXT);
    if (next == 0) {
      if (WORDS.compareAndSet(words, lock, node, 0L)) {
        return;
      }
      next = awaitNot(node + NEXT, 0);
    }
    // Release: what the holder wrote is visible to the next one; pairs with its awaitNot.
    setRelease(next + LOCKED, 0);
  }

  long awaitNot(long offset, long value) {
    for (int spins = 0; ; spins++) {
      long now = getAcquire(offset);
      if (now != value) {
        return now;
      }
      SpinWait.step(spins);
    }
  }

  void close() {
    arena.close();
  }
}
