package io.howdah.txn.alloc;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;

/** Shows what one transaction sees of all blocks. Not thread-safe. */
final class BlockWalk {

  private final HeapWords words;

  BlockWalk(HeapWords words) {
    this.words = words;
  }

  /** Shows every block, in the order of addresses. */
  void visit(HeapSession.Visitor visitor) {
    long end = Pages.of(words.get(RegionHeaderLayout.TOP_ADDRESS));
    long page = Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS);
    while (page < end) {
      long descriptor = words.get(PageLayout.descriptorAddress(page));
      long length = Math.max(1, PageLayout.runPages(descriptor));
      switch (PageLayout.kind(descriptor)) {
        case PageLayout.FREE -> {
          visitor.free(Pages.address(length));
          if (PageLayout.sizeClass(descriptor) != PageLayout.NEVER_WRITTEN) {
            visitor.reclaimable(Pages.address(length));
          }
        }
        case PageLayout.LARGE -> visitor.block(Pages.address(page), Pages.address(length));
        case PageLayout.SLAB -> visitSlab(page, descriptor, visitor);
        case PageLayout.NODES -> visitNodes(page, descriptor, visitor);
        default -> length = 1;
      }
      page += length;
    }
  }

  private void visitNodes(long page, long descriptor, HeapSession.Visitor visitor) {
    if (!PageLayout.isNodes(descriptor)) {
      throw words.refuse(
          new CorruptStoreException(
              "region",
              PageLayout.descriptorAddress(page),
              "the descriptor of page "
                  + page
                  + " names nodes that no page can have; verify the store, and restore it from a"
                  + " backup"));
    }
    int bytes = NodeLayout.bytesOf(PageLayout.sizeClass(descriptor));
    int inUse = PageLayout.nodesInUse(descriptor);
    for (int node = 0; node * bytes < PageLayout.PAGE_BYTES; node++) {
      if ((inUse & 1 << node) != 0) {
        visitor.node(Pages.address(page) + (long) node * bytes, bytes);
      } else {
        visitor.free(bytes);
      }
    }
    if (inUse == 0) {
      visitor.reclaimable(PageLayout.PAGE_BYTES);
    }
  }

  private void visitSlab(long page, long descriptor, HeapSession.Visitor visitor) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    if (sizeClass >= SizeClasses.COUNT) {
      long at = PageLayout.descriptorAddress(page);
      throw words.refuse(
          new CorruptStoreException(
              "region",
              at,
              "the descriptor of page "
                  + page
                  + " names size class "
                  + sizeClass
                  + ", and there are "
                  + SizeClasses.COUNT
                  + "; verify the store, and restore it from a backup"));
    }
    int blocks = SizeClasses.blocks(sizeClass, PageLayout.length(descriptor));
    int length = SizeClasses.length(sizeClass);
    long address = Pages.address(page) + SizeClasses.firstBlockOfSlab(sizeClass, blocks);
    long free = Pages.address(PageLayout.length(descriptor));
    long used = 0;
    for (int i = 0; i < blocks; i++, address += length) {
      if (i % Long.SIZE == 0) {
        used = words.get(Pages.address(page) + (long) (i / Long.SIZE) * Long.BYTES);
      }
      if ((used & 1L << i) != 0) {
        visitor.block(address, length);
        free -= length;
      }
    }
    visitor.free(free);
    if (free == Pages.address(PageLayout.length(descriptor))) {
      visitor.reclaimable(free);
    }
  }
}
