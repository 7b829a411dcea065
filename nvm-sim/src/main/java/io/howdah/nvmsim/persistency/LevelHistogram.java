package io.howdah.nvmsim.persistency;

/**
 * How many persists stand at each level. Keeps {@value #BUCKETS} buckets whatever the number of
 * levels: when they run out, neighbours merge and each bucket covers twice as many.
 */
public final class LevelHistogram {
  public static final int BUCKETS = 1024;

  private final long[] counts = new long[BUCKETS];
  private int shift;

  LevelHistogram() {}

  /** Counts a persist at a level from 1. */
  void add(long level) {
    while (level >>> shift >= BUCKETS) {
      widen();
    }
    counts[(int) (level >>> shift)]++;
  }

  private void widen() {
    for (int i = 0; i < BUCKETS / 2; i++) {
      counts[i] = counts[2 * i] + counts[2 * i + 1];
    }
    for (int i = BUCKETS / 2; i < BUCKETS; i++) {
      counts[i] = 0;
    }
    shift++;
  }

  /** Levels per bucket: bucket {@code i} counts levels from {@code i * width}. */
  public long bucketWidth() {
    return 1L << shift;
  }

  /** Persists in a bucket. */
  public long count(int bucket) {
    return counts[bucket];
  }

  /** Persists in all buckets. */
  public long total() {
    long total = 0;
    for (long count : counts) {
      total += count;
    }
    return total;
  }
}
