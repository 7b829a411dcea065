package io.howdah.txn.alloc;

import io.howdah.core.layout.NodeLayout;

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

  /**
   * Notes that a block is freed: this transaction may give its words to another owner, whose
   * readers validate them by their own orecs. The default is for words that nothing else reads
   * meanwhile.
   */
  default void freesBlock() {}

  // ---- Nodes. The defaults are for words that nothing else reads meanwhile.

  /** Notes a node that the transaction has allocated: memory has nothing of it. */
  default void addNode(long node) {}

  /** Writes the first word of a node. */
  default void putNode(long node, long head) {
    put(NodeLayout.address(node), head);
  }

  /** Makes readers of any word of the page at an address see a change. */
  default void guardPage(long page) {}

  /** Returns whether this transaction has allocated or written a node of the page at an address. */
  default boolean isAnyNodeWritten(long page) {
    return false;
  }

  /** Ends the transaction because of a call that cannot be served; returns what to throw. */
  RuntimeException refuse(RuntimeException reason);
}
