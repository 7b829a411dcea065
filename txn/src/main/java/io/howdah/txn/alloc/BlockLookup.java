package io.howdah.txn.alloc;

import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;

/**
 * Finds the block at an address, and whether it is in use, by the descriptors and bitmaps that a
 * transaction sees. Not thread-safe.
 */
final class BlockLookup {

  private static final long WORD_BYTES = Long.BYTES;

  private final HeapWords words;
  private final long capacityPages;

  BlockLookup(HeapWords words, long capacityPages) {
    this.words = words;
    this.capacityPages = capacityPages;
  }

  /** Returns how many bytes the block that starts at an address has; 0 if none in use does. */
  long lengthBytes(long address) {
    long page = head(address);
    if (page == 0) {
      return 0;
    }
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    if (PageLayout.kind(descriptor) == PageLayout.LARGE) {
      return Pages.address(page) == address ? Pages.address(PageLayout.length(descriptor)) : 0;
    }
    int block =
        PageLayout.kind(descriptor) == PageLayout.SLAB ? block(page, descriptor, address) : -1;
    if (block < 0) {
      return 0;
    }
    long used = words.get(Pages.address(page) + block / Long.SIZE * WORD_BYTES);
    return (used & 1L << block) == 0 ? 0 : SizeClasses.length(PageLayout.sizeClass(descriptor));
  }

  /** Returns the head of the run that an address lies in, or 0. */
  long head(long address) {
    long page = Pages.of(address);
    if (address < RegionHeaderLayout.BLOCKS_ADDRESS || page >= capacityPages) {
      return 0;
    }
    long descriptor = words.get(PageLayout.descriptorAddress(page));
    if (PageLayout.kind(descriptor) != PageLayout.TAIL) {
      return page;
    }
    long head = page - PageLayout.length(descriptor);
    if (head < Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS)) {
      return 0;
    }
    long length = PageLayout.length(words.get(PageLayout.descriptorAddress(head)));
    return page - head < length ? head : 0;
  }

  /** Returns the number of the block that starts at an address in a slab, or -1. */
  static int block(long page, long descriptor, long address) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    if (sizeClass >= SizeClasses.COUNT) {
      return -1;
    }
    int blocks = SizeClasses.blocks(sizeClass, PageLayout.length(descriptor));
    int offset =
        (int) (address - Pages.address(page)) - SizeClasses.firstBlockOfSlab(sizeClass, blocks);
    int length = SizeClasses.length(sizeClass);
    return offset >= 0 && offset % length == 0 && offset / length < blocks ? offset / length : -1;
  }

  boolean isEmpty(long page, long descriptor) {
    int sizeClass = PageLayout.sizeClass(descriptor);
    int blocks =
        sizeClass < SizeClasses.COUNT
            ? SizeClasses.blocks(sizeClass, PageLayout.length(descriptor))
            : 0;
    if (blocks == 0) {
      return false; // the region is damaged here, so this slab is left alone
    }
    long bitmap = Pages.address(page);
    for (int i = 0; i < blocks; i += Long.SIZE, bitmap += WORD_BYTES) {
      if (words.get(bitmap) != 0) {
        return false;
      }
    }
    return true;
  }
}
