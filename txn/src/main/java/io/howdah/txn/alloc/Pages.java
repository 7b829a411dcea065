package io.howdah.txn.alloc;

import io.howdah.core.layout.PageLayout;

/** Which pages can be in one run: those between two tables of descriptors. */
final class Pages {

  private Pages() {}

  /** Returns the end of the stretch that a page lies in: where the next table begins. */
  static long rangeEnd(long page) {
    return page < PageLayout.HEADER_PAGES ? PageLayout.HEADER_PAGES : 2 * Long.highestOneBit(page);
  }

  /** Returns a page, or the first one after the table that begins there. */
  static long skipTable(long page) {
    boolean isTable = page >= PageLayout.HEADER_PAGES && Long.bitCount(page) == 1;
    return isTable ? page + PageLayout.tablePages(page) : page;
  }

  /** Returns whether a head's descriptor is that of a free run of a length. */
  static boolean isFreeRun(long descriptor, long length) {
    return PageLayout.kind(descriptor) == PageLayout.FREE
        && PageLayout.length(descriptor) == length;
  }

  static long address(long page) {
    return page << PageLayout.PAGE_SHIFT;
  }

  static long of(long address) {
    return address >>> PageLayout.PAGE_SHIFT;
  }
}
