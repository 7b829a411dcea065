package io.howdah.crashtest.workload;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What a process runs out of while it does something. */
public enum Shortage {

  /** The heap is full but for a random rest. Other threads of the process run out of it, too. */
  MEMORY {
    @Override
    @Nullable Throwable suffer(SplittableRandom random, Runnable action) {
      byte[][] ballast = new byte[SLOTS][];
      // Small amounts are as likely as large ones: what an operation takes at once varies.
      byte[] spare = new byte[random.nextInt(1 << random.nextInt(4, MAX_SPARE_BITS))];
      fill(ballast);
      spare = release(spare);
      try {
        action.run();
        return null;
      } catch (Throwable t) {
        return t;
      } finally {
        Arrays.fill(ballast, spare);
      }
    }
  },

  /** The stack ends a random number of small frames below. */
  STACK {
    @Override
    @Nullable Throwable suffer(SplittableRandom random, Runnable action)
        throws InterruptedException {
      int frames = random.nextInt(1 << random.nextInt(3, MAX_FRAME_BITS));
      Throwable[] thrown = new Throwable[1];
      Thread thread =
          new Thread(
              null,
              () -> {
                try {
                  above(frames, action, thrown);
                } catch (StackOverflowError e) {
                  thrown[0] = thrown[0] == null ? e : thrown[0];
                }
              },
              "shortage",
              STACK_BYTES);
      thread.start();
      thread.join();
      return thrown[0];
    }
  };

  private static final int SLOTS = 1 << 12;
  private static final int MAX_SPARE_BITS = 23;
  private static final int MAX_FRAME_BITS = 10;
  private static final long STACK_BYTES = 512 << 10;

  /**
   * Does something while this is short.
   *
   * @return what it threw; null if nothing
   */
  abstract @Nullable Throwable suffer(SplittableRandom random, Runnable action)
      throws InterruptedException;

  /** Fills the heap, as far as arrays can. */
  @SuppressWarnings("EmptyCatch") // the heap is full then
  private static void fill(byte[][] ballast) {
    int count = 0;
    for (int size = 1 << 20; size >= 1 << 4; size >>= 4) {
      try {
        while (count < ballast.length) {
          ballast[count] = new byte[size];
          count++;
        }
      } catch (OutOfMemoryError e) {
        // The next size may fit.
      }
    }
  }

  /** Returns null, which no compiler knows. */
  private static byte @Nullable [] release(byte[] spare) {
    return spare.length < 0 ? spare : null;
  }

  /**
   * Runs an action so many frames above the end of the stack.
   *
   * @return how far above it this frame is
   */
  @SuppressWarnings("InfiniteRecursion") // up to the stack's end
  private static int above(int frames, Runnable action, @Nullable Throwable[] thrown) {
    int distance;
    try {
      distance = above(frames, action, thrown) + 1;
    } catch (StackOverflowError e) {
      distance = 0;
    }
    if (distance == frames) {
      try {
        action.run();
      } catch (Throwable t) {
        thrown[0] = t;
      }
    }
    return distance;
  }
}
