package io.howdah.txn;

/** Learns which pages of the region a commit has changed, for the next checkpoint. Thread-safe. */
interface DirtyPages {

  /** Marks the page of an address whose new value has been stored, on the commit path. */
  void mark(long address);
}
