package io.howdah.store.research;

/** How a store's checkpoints are taken beside transactions. */
public enum CheckpointScheme {

  /** Of each page that changed, the lines that did, or all of it where most did. The default. */
  DUAL,

  /** Every page that changed, as a whole: for comparison. */
  PAGES,

  /** Of each page that changed, the lines that did, however many: for comparison. */
  LINES,

  /**
   * The paper's own (Hathi, section 4): every page that was ever used, changed or not, read by a
   * transaction that aborts and repeats when a commit is in its way, as a whole. For comparison.
   */
  TRANSACTIONAL,

  /**
   * None, and no note of what changed: for measuring what that note costs. The log grows as long as
   * the store is open, and every opening replays it.
   */
  NONE
}
