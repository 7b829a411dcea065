package io.howdah.nvmsim.loc;

/**
 * What the protocols and their recovery keep, so that a power cut leaves the state after a prefix
 * of the transactions. A {@link CoreConfig} may omit one of them: crash checks do, to show that
 * each is needed.
 */
public enum Rule {
  /** A dependency pair tells of each block that is left to a later transaction. */
  EVERY_PAIR_LOGGED,
  /** TxCnt counts every block of its transaction, so none looks complete before it is. */
  EXACT_COUNT,
  /** Lines go home when the log is durable. */
  LOG_BEFORE_HOME,
  /** A window begins to write its log when the lines of the window before are home. */
  HOME_BEFORE_NEXT_WINDOW,
  /** A commit record is written when the log is durable. */
  LOG_BEFORE_COMMIT_RECORD,
  /** The log is truncated when the lines are home. */
  HOME_BEFORE_TRUNCATION,
  /** LastCommittedTxID rises when the log is durable. */
  LOG_BEFORE_REPORT,
  /** Where only words are atomic, META is sent when its blocks are durable. */
  BLOCKS_BEFORE_META,
  /** An abort writes the versions below the aborted ones to the log. */
  RESCUE_ON_ABORT,
  /** An entry marks an aborted transaction as void. */
  VOID_ENTRY,
  /** A version that overflows is logged under the id of its own transaction. */
  OVERFLOW_KEEPS_TRANSACTION,
  /** Recovery counts a pair only if the later transaction is complete. */
  PAIR_NEEDS_TARGET,
  /**
   * Recovery also discards a transaction whose block was left to one behind the cut. The paper does
   * not.
   */
  CUT_FOLLOWS_PAIRS,
  /** Recovery discards everything from the first incomplete transaction on. */
  CUT_AT_FIRST_INCOMPLETE,
  /** In recovery the latest version of a line wins. */
  LATEST_WINS,
  /** Recovery moves the head when the lines are home. */
  HOME_BEFORE_HEAD,
  /** Recovery believes a tag only if it is of the current lap. */
  TAG_OF_THIS_LAP,
  /** The commit mark of a non-volatile cache is set when the lines are there. */
  LINES_BEFORE_MARK
}
