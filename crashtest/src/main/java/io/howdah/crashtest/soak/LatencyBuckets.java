package io.howdah.crashtest.soak;

/**
 * Counts of times in buckets of a sixteenth of a power of two, so that a word of shared memory
 * holds each count. A quantile is at most 7 % above the true one.
 */
final class LatencyBuckets {

  private static final int SUB_BITS = 4;
  private static final int SUB = 1 << SUB_BITS;
  private static final int MAX_BITS = 40;

  /** How many buckets there are; the last one has all times above 18 minutes. */
  static final int COUNT = (MAX_BITS - SUB_BITS + 1) * SUB;

  private LatencyBuckets() {}

  /** Returns the bucket of a time in nanoseconds. */
  static int of(long nanos) {
    if (nanos < SUB) {
      return (int) Math.max(0, nanos);
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - SUB_BITS;
    int bucket = (shift + 1) * SUB + (int) (nanos >>> shift) - SUB;
    return Math.min(bucket, COUNT - 1);
  }

  /** Returns the longest time of a bucket, in nanoseconds. */
  static long longest(int bucket) {
    if (bucket < SUB) {
      return bucket;
    }
    int shift = bucket / SUB - 1;
    return ((long) (bucket % SUB + SUB + 1) << shift) - 1;
  }

  /**
   * Returns the time that this share of all does not exceed, in nanoseconds; 0 if there is none.
   */
  static long quantile(long[] counts, double share) {
    long total = 0;
    for (long count : counts) {
      total += count;
    }
    long wanted = (long) Math.ceil(total * share);
    long seen = 0;
    for (int bucket = 0; bucket < COUNT && total > 0; bucket++) {
      seen += counts[bucket];
      if (seen >= wanted) {
        return longest(bucket);
      }
    }
    return 0;
  }
}
