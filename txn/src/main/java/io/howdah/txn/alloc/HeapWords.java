package io.howdah.txn.alloc;

/** The region's words as one transaction sees and changes them. Used by one thread at a time. */
public interface HeapWords {

  /** Reads a word whose address is known to be good. */
  long get(long address);

  /** Reads words one after the other, whose addresses are known to be good, into bytes. */
  void get(long address, byte[] target, int words);

  /** Writes a word whose address is known to be good. */
  void put(long address, long value);

  /**
   * Has memory ready behind a page that was never used and is going to be written: or the commit
   * would wait for it, with its locks.
   */
  void prepare(long address);

  /** Ends the transaction because of a call that cannot be served; returns what to throw. */
  RuntimeException refuse(RuntimeException reason);
}
