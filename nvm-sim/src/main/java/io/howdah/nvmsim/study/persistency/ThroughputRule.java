package io.howdah.nvmsim.study.persistency;

/**
 * From critical path to throughput (<i>Memory Persistency</i>, ISCA 2014, §8.1): a system runs at
 * its instruction rate or at the rate the longest chain of persists allows, whichever is lower.
 * Times are nanoseconds, rates inserts per second.
 */
final class ThroughputRule {
  private static final double NANOS_PER_SECOND = 1e9;

  private ThroughputRule() {}

  /** Rate at which persists allow inserts; infinite if inserts add no level. */
  public static double persistBoundRate(double levelsPerInsert, double persistNs) {
    return NANOS_PER_SECOND / (levelsPerInsert * persistNs);
  }

  /** Rate with persists buffered: execution runs ahead until the chain holds it back. */
  public static double achievableRate(double insertNs, double levelsPerInsert, double persistNs) {
    return Math.min(NANOS_PER_SECOND / insertNs, persistBoundRate(levelsPerInsert, persistNs));
  }

  /** Rate with nothing buffered: every level stalls execution. */
  public static double unbufferedRate(double insertNs, double levelsPerInsert, double persistNs) {
    return NANOS_PER_SECOND / (insertNs + levelsPerInsert * persistNs);
  }

  /**
   * Table 1: persist-bound rate relative to the instruction rate; above 1 persists do not limit.
   */
  public static double normalized(double insertNs, double levelsPerInsert, double persistNs) {
    return insertNs / (levelsPerInsert * persistNs);
  }

  /** The persist latency at which the two rates are equal. */
  public static double breakEvenNs(double insertNs, double levelsPerInsert) {
    return insertNs / levelsPerInsert;
  }
}
