package io.howdah.checkpoint.recovery;

/** Where a store's region is kept while it is open. */
public enum Backing {
  /**
   * The image is mapped privately: opening takes as long whatever the size, pages arrive lazily.
   */
  MAPPED,
  /** The image is loaded before the store opens: the fastest steady state. */
  RESIDENT
}
