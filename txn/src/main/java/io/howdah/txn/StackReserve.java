package io.howdah.txn;

/**
 * Makes sure that a transaction does not run out of stack in its commit, where that stops the
 * store: a runaway recursion that happens to run transactions overflows here instead.
 *
 * <p>No guarantee, the JVM gives none; what overflows further on still ends safely.
 */
final class StackReserve {

  // The commit goes about 20 frames down. These are smaller, and once compiled far smaller, but so
  // are those.
  private static final int FRAMES = 32;

  private StackReserve() {}

  /** Throws {@link StackOverflowError} if the stack has no room for a commit. */
  static void require() {
    descend(FRAMES, 0, 0, 0, 0);
  }

  private static long descend(int frames, long a, long b, long c, long d) {
    return frames == 0 ? a + b + c + d : descend(frames - 1, b, c, d, a + 1) + frames;
  }
}
