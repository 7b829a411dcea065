package io.howdah.jmh.workload;

/**
 * How long operations took, any number of them: counted by length, in steps of a thirty-second.
 * Owned by one thread.
 */
public final class Latencies {

  private static final int STEP_BITS = 5;
  private static final int STEPS = 1 << STEP_BITS;

  private final long[] counts = new long[(Long.SIZE - STEP_BITS + 1) * STEPS];
  private long count;
  private long longest;

  /** Creates an empty one. */
  public Latencies() {}

  /** Counts an operation. */
  public void add(long nanos) {
    counts[index(nanos)]++;
    count++;
    longest = Math.max(longest, nanos);
  }

  private static int index(long nanos) {
    int shift = Math.max(0, Long.SIZE - STEP_BITS - 1 - Long.numberOfLeadingZeros(nanos | 1));
    return shift * STEPS + (int) (nanos >>> shift);
  }

  /** Returns the longest time counted under an index. */
  private static long upperBound(int index) {
    int shift = Math.max(0, index / STEPS - 1);
    return ((index - (long) shift * STEPS + 1) << shift) - 1;
  }

  /** Returns the longest, exactly; 0 if there is none. */
  public long longest() {
    return longest;
  }

  /**
   * Returns the time, up to a thirty-second too long, that at least {@code q} of all do not exceed.
   *
   * @param q above 0, at most 1
   */
  public long quantile(double q) {
    long wanted = (long) Math.ceil(q * count);
    int index = 0;
    for (long seen = counts[0]; seen < wanted; seen += counts[index]) {
      index++;
    }
    return Math.min(longest, upperBound(index));
  }
}
