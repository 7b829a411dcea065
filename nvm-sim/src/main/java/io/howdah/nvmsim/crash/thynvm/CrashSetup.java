package io.howdah.nvmsim.crash.thynvm;

import io.howdah.nvmsim.thynvm.SchemePolicy;

/**
 * Sizes of a run.
 *
 * @param blockEntries BTT entries
 * @param pages PTT entries
 * @param pageBlocks blocks of a page
 * @param homeBlocks physical blocks
 * @param epochs epochs to complete
 * @param policy thresholds
 * @param maxSubsets choices of writes under way that are tried at a point
 * @param pointShare of so many events the power is cut after one, at random
 */
record CrashSetup(
    int blockEntries,
    int pages,
    int pageBlocks,
    int homeBlocks,
    int epochs,
    SchemePolicy policy,
    int maxSubsets,
    int pointShare) {
  private static final SchemePolicy SMALL_POLICY = new SchemePolicy(4, 3, false, true, true, false);

  /** BTT 8, PTT 2, 32 blocks, 6 epochs; the power is cut after every event. */
  public static CrashSetup small() {
    return new CrashSetup(8, 2, 4, 32, 6, SMALL_POLICY, 1 << 12, 1);
  }

  /** BTT 64, PTT 16, 1024 blocks; about every fourth event. */
  public static CrashSetup medium() {
    return new CrashSetup(
        64, 16, 8, 1024, 12, new SchemePolicy(6, 4, false, true, true, false), 4, 4);
  }
}
