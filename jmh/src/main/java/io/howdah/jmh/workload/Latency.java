package io.howdah.jmh.workload;

import org.HdrHistogram.Histogram;

/** How the benchmarks count latencies: in nanoseconds, each to three decimal digits. */
public final class Latency {

  private static final int DIGITS = 3;

  private Latency() {}

  /** Returns an empty histogram that grows with the longest time. Owned by one thread. */
  public static Histogram histogram() {
    return new Histogram(DIGITS);
  }

  /**
   * Returns the time that at least this share of all do not exceed.
   *
   * @param times at least one
   * @param quantile above 0, at most 1
   */
  public static long quantile(Histogram times, double quantile) {
    if (times.getTotalCount() == 0 || !(quantile > 0 && quantile <= 1)) {
      throw new IllegalArgumentException(
          "quantile must be above 0 and at most 1, of at least one time: "
              + quantile
              + " of "
              + times.getTotalCount());
    }
    return times.getValueAtPercentile(100 * quantile);
  }
}
