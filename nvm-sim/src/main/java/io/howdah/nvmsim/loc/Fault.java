package io.howdah.nvmsim.loc;

/** A mistake planted in a protocol or in recovery, which the crash checks must notice. */
public enum Fault {
  NONE,
  /** One dependency pair is left out. */
  MISSING_PAIR,
  /** TxCnt is one too low, so a transaction looks complete before it is. */
  WRONG_COUNT,
  /** Lines go home without waiting for the log. */
  EARLY_IN_PLACE,
  /** A window begins to write its log before the lines of the one before are home. */
  WINDOW_ORDER,
  /** A commit record is written without waiting for the log. */
  EARLY_COMMIT_RECORD,
  /** The log is truncated without waiting for the lines to be home. */
  EARLY_TRUNCATION,
  /** LastCommittedTxID rises before the log is durable. */
  EARLY_REPORT,
  /** META is sent together with its blocks although only words are atomic. */
  META_WITH_BLOCKS,
  /** An abort does not write the versions below the aborted ones to the log. */
  NO_RESCUE,
  /** An aborted transaction is not marked void. */
  NO_VOID_ENTRY,
  /** A version that overflowed is logged under the next transaction's id. */
  OVERFLOW_MISTAGGED,
  /** Recovery counts every pair, whatever becomes of the later transaction. */
  IGNORES_PAIR_TARGET,
  /** Recovery cuts as the paper says, and keeps a transaction whose block lies behind the cut. */
  CUT_AS_PUBLISHED,
  /** Recovery skips an incomplete transaction and goes on with the next. */
  NO_CUT,
  /** Recovery lets the oldest version of a line win. */
  OLDEST_WINS,
  /** Recovery moves the head before the lines are home. */
  HEAD_BEFORE_HOME,
  /** Recovery believes tags of any lap. */
  ANY_LAP,
  /** The commit mark of a non-volatile cache is set before the lines are there. */
  EARLY_MARK
}
