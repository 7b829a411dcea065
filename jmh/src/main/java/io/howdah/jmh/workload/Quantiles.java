package io.howdah.jmh.workload;

import java.util.Arrays;

/** Quantiles of latencies, by nearest rank. */
public final class Quantiles {

  private Quantiles() {}

  /**
   * Returns the smallest value that at least {@code q} of all values do not exceed.
   *
   * @param values at least one, in any order; unchanged
   * @param q above 0, at most 1
   */
  public static long of(long[] values, double q) {
    if (values.length == 0 || !(q > 0 && q <= 1)) {
      throw new IllegalArgumentException("quantile " + q + " of " + values.length + " values");
    }
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.ceil(q * sorted.length) - 1];
  }
}
