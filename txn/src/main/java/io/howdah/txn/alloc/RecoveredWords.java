package io.howdah.txn.alloc;

/** Makes sure that words are in the region as a recovery has found them. */
@FunctionalInterface
public interface RecoveredWords {

  /** Returns once all words of a range are there, and visible to the caller. */
  void require(long address, long lengthBytes);
}
