package io.howdah.nvmsim.crash.thynvm;

/** Mistakes in the protocol that the crash checks must find. */
public enum Mistake {
  NONE,
  /** The PTT is written, and the checkpoint declared complete, before its pages. */
  PTT_BEFORE_PAGES,
  /** The completion bit is set before the write queue is empty. */
  BIT_BEFORE_DRAIN,
  /** A clean block is overwritten in its slot instead of going to Home. */
  CLEAN_IN_PLACE,
  /** A clean block that is evicted during a checkpoint overwrites Home, which is not saved. */
  MISSING_SWAP,
  /** What the penultimate checkpoint needs is free as soon as the next one begins. */
  PENULTIMATE_FREED_EARLY
}
