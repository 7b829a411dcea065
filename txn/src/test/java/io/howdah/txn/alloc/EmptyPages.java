package io.howdah.txn.alloc;

import io.howdah.core.layout.NodeLayout;

/** Gives pages back earlier than the allocator would. */
public final class EmptyPages {

  private EmptyPages() {}

  /** Makes the page of a former node free, if no node is in use there. */
  public static void release(HeapSession heap, long node) {
    heap.releaseIfEmpty(Pages.of(NodeLayout.address(node)));
  }
}
