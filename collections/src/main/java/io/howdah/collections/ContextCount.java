package io.howdah.collections;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * A count to which transactions add without an atomic instruction: each of the first contexts has a
 * word of its own, which one thread at a time writes. Others share an adder. Thread-safe.
 */
final class ContextCount {

  private static final int CONTEXTS = 64;
  private static final int LINE_WORDS = 8;
  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  private final long[] counts = new long[(CONTEXTS + 1) * LINE_WORDS];
  private final LongAdder others = new LongAdder();

  /**
   * Adds to the count.
   *
   * @param context the number of the context whose transaction runs in this thread
   */
  void add(int context, long count) {
    if (context >= CONTEXTS) {
      others.add(count);
      return;
    }
    int at = (context + 1) * LINE_WORDS; // the line of the array's length is read by all
    WORD.setOpaque(counts, at, (long) WORD.getOpaque(counts, at) + count);
  }

  /** Returns the count. */
  long sum() {
    long sum = others.sum();
    for (int context = 0; context < CONTEXTS; context++) {
      sum += (long) WORD.getOpaque(counts, (context + 1) * LINE_WORDS);
    }
    return sum;
  }
}
