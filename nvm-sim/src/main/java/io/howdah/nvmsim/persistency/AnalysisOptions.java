package io.howdah.nvmsim.persistency;

/**
 * How persists and conflicts are measured.
 *
 * @param persistGranularity bytes that persist atomically, a power of two from 8 to 4096
 * @param trackingGranularity bytes at which conflicts are noticed, a power of two from 8 to 4096
 * @param accessGranularConflicts whether each word of a wide access takes the conflicts of all of
 *     them; by default it takes its own block's only
 * @param maxStoresPerPersist stores one persist can absorb before it closes, 0 = no limit
 * @param maxBlocks memory blocks an analyser keeps state for; a trace that touches more is an error
 */
public record AnalysisOptions(
    int persistGranularity,
    int trackingGranularity,
    boolean accessGranularConflicts,
    int maxStoresPerPersist,
    int maxBlocks) {
  public static final int MIN_GRANULARITY = 8;
  public static final int MAX_GRANULARITY = 4096;

  /** Eight bytes for both, as in the paper's Table 1. */
  public static final AnalysisOptions DEFAULT =
      new AnalysisOptions(MIN_GRANULARITY, MIN_GRANULARITY, false, 0, 1 << 22);

  public AnalysisOptions {
    check("persist granularity", persistGranularity);
    check("tracking granularity", trackingGranularity);
    if (maxStoresPerPersist < 0) {
      throw new IllegalArgumentException(
          "maxStoresPerPersist must not be negative: " + maxStoresPerPersist);
    }
    if (maxBlocks < 1 || maxBlocks > 1 << 26) {
      throw new IllegalArgumentException("maxBlocks must be 1 to 2^26: " + maxBlocks);
    }
  }

  private static void check(String what, int bytes) {
    if (bytes < MIN_GRANULARITY || bytes > MAX_GRANULARITY || Integer.bitCount(bytes) != 1) {
      throw new IllegalArgumentException(
          what
              + " must be a power of two from "
              + MIN_GRANULARITY
              + " to "
              + MAX_GRANULARITY
              + " bytes: "
              + bytes);
    }
  }

  /** These options with other granularities. */
  public AnalysisOptions withGranularity(int persist, int tracking) {
    return new AnalysisOptions(
        persist, tracking, accessGranularConflicts, maxStoresPerPersist, maxBlocks);
  }

  /** These options with another limit on merging. */
  public AnalysisOptions withMaxStoresPerPersist(int stores) {
    return new AnalysisOptions(
        persistGranularity, trackingGranularity, accessGranularConflicts, stores, maxBlocks);
  }

  /** These options with the pessimistic rule for wide accesses. */
  public AnalysisOptions withAccessGranularConflicts() {
    return new AnalysisOptions(
        persistGranularity, trackingGranularity, true, maxStoresPerPersist, maxBlocks);
  }
}
