package io.howdah.nvmsim.thynvm.control;

/** What must happen before a store can be served. */
public enum Admission {
  ACCEPT,
  /** The tables are full of this epoch's data: the epoch must end. */
  END_EPOCH,
  /** Every entry is needed by the checkpoint in progress: it must complete. */
  AWAIT_CHECKPOINT
}
