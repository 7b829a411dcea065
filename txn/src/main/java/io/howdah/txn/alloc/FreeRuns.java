package io.howdah.txn.alloc;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Where free runs of pages may be: hints, by the power of two in their lengths. Holds at most
 * {@value #MAX_RUNS} of each; what it has to forget, the next scan finds again. Thread-safe.
 */
final class FreeRuns {

  private static final int MAX_RUNS = 1 << 16;
  private static final int CLASSES = 48;
  private static final int LOOKED_AT = 32;

  /** First page and length of each run in turn. */
  private final long[][] runs = new long[CLASSES][0]; // guarded by this

  private final int[] counts = new int[CLASSES]; // guarded by this

  private final IntFunction<long[]> memory;

  /**
   * Creates an empty one.
   *
   * @param memory makes arrays of a length
   */
  FreeRuns(IntFunction<long[]> memory) {
    this.memory = memory;
  }

  /** A run taken out; the length is 0 if there is none. */
  record Run(long page, long length) {
    static final Run NONE = new Run(0, 0);
  }

  synchronized void add(long page, long length) {
    int c = classOf(length);
    if (counts[c] == MAX_RUNS) {
      return;
    }
    int at = 2 * counts[c];
    if (at == runs[c].length) {
      // Before anything changes: there may be no memory.
      long[] more = memory.apply(Math.max(16, 2 * at));
      System.arraycopy(runs[c], 0, more, 0, at);
      runs[c] = more;
    }
    runs[c][at] = page;
    runs[c][at + 1] = length;
    counts[c]++;
  }

  /** Takes out a run of at least so many pages; looks at some of the runs only. */
  Run take(long pages) {
    return take(pages, LOOKED_AT);
  }

  /** Takes out a run of at least so many pages if there is any. */
  Run takeAny(long pages) {
    return take(pages, MAX_RUNS);
  }

  private synchronized Run take(long pages, int lookedAt) {
    int c = classOf(pages);
    int best = -1;
    // The class holds shorter runs too. Of those looked at, the shortest that is long enough.
    for (int i = counts[c] - 1; i >= Math.max(0, counts[c] - lookedAt); i--) {
      long length = runs[c][2 * i + 1];
      if (length >= pages && (best < 0 || length < runs[c][2 * best + 1])) {
        best = i;
        if (length == pages) {
          break; // none is shorter
        }
      }
    }
    if (best >= 0) {
      return remove(c, best);
    }
    while (++c < CLASSES) {
      if (counts[c] > 0) {
        return remove(c, counts[c] - 1);
      }
    }
    return Run.NONE;
  }

  private Run remove(int c, int index) {
    long[] of = runs[c];
    Run run = new Run(of[2 * index], of[2 * index + 1]);
    int last = 2 * --counts[c];
    of[2 * index] = of[last];
    of[2 * index + 1] = of[last + 1];
    return run;
  }

  /** Forgets everything, before a scan that finds all. */
  synchronized void clear() {
    Arrays.fill(counts, 0);
  }

  private static int classOf(long length) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(length);
  }
}
