package io.howdah.nvmsim.thynvm;

import io.howdah.nvmsim.thynvm.control.PaperController;

/**
 * How a {@link PaperController} chooses between the two schemes.
 *
 * @param promoteAbove a page with more stores in an epoch goes to the page scheme
 * @param demoteBelow a page with fewer stores in an epoch may go back to the block scheme
 * @param demoteAtOnce whether it goes at the end of that epoch if it had a store; otherwise, and
 *     without a store, only when entries of the PTT run short
 * @param switching whether pages change their scheme at all
 * @param cooperation whether the block scheme serves stores to pages that are being written back;
 *     otherwise they wait for the checkpoint
 * @param pagesOnly whether every store goes to a page in DRAM, which is fetched if it is not there
 */
public record SchemePolicy(
    int promoteAbove,
    int demoteBelow,
    boolean demoteAtOnce,
    boolean switching,
    boolean cooperation,
    boolean pagesOnly) {
  /** The paper's thresholds (§4.2). */
  public static final SchemePolicy PAPER = new SchemePolicy(22, 16, true, true, true, false);

  public SchemePolicy {
    if (promoteAbove < 0 || demoteBelow < 0) {
      throw new IllegalArgumentException(
          "thresholds count stores, from 0: " + promoteAbove + ", " + demoteBelow);
    }
  }

  /** A page with few stores stays in DRAM until entries of the PTT run short. */
  public SchemePolicy withDemotionWhenFull() {
    return new SchemePolicy(promoteAbove, demoteBelow, false, switching, cooperation, pagesOnly);
  }

  /** Blocks only: no page is ever promoted. */
  public SchemePolicy withoutSwitching() {
    return new SchemePolicy(promoteAbove, demoteBelow, demoteAtOnce, false, cooperation, pagesOnly);
  }

  /** Stores to a page that is being written back wait (§3.4 without its first mechanism). */
  public SchemePolicy withoutCooperation() {
    return new SchemePolicy(promoteAbove, demoteBelow, demoteAtOnce, switching, false, pagesOnly);
  }

  /** Checkpointing with pages only, as in Table 1's other corner. */
  public SchemePolicy withPagesOnly() {
    return new SchemePolicy(promoteAbove, demoteBelow, true, switching, false, true);
  }
}
