package io.howdah.nvmsim.record;

import java.util.Arrays;

/**
 * How threads mix: for each insert, how many inserts lie between it and the same thread's one
 * before (<i>Memory Persistency</i>, ISCA 2014, §7, "Performance Validation"). Comparing the
 * distribution of a native run with a traced one tells whether tracing changed the interleaving.
 */
public final class InsertDistance {
  private InsertDistance() {}

  /**
   * The distances of all threads, sorted.
   *
   * @param positions per thread, the positions its inserts were given, in its order
   * @param slotLength positions per insert
   */
  public static long[] of(long[][] positions, int slotLength) {
    int total = 0;
    for (long[] thread : positions) {
      total += Math.max(0, thread.length - 1);
    }
    long[] distances = new long[total];
    int at = 0;
    for (long[] thread : positions) {
      for (int i = 1; i < thread.length; i++) {
        distances[at++] = (thread[i] - thread[i - 1]) / slotLength;
      }
    }
    Arrays.sort(distances);
    return distances;
  }
}
