package io.howdah.nvmsim.thynvm.table;

import java.util.Arrays;

/** Sums of stores per page, in the order in which the pages were first added. */
public final class PageTally {
  private final long[] pages;
  private final int[] sums;
  private final long[] keys;
  private final int[] entries;
  private int size;

  public PageTally(int capacity) {
    pages = new long[capacity];
    sums = new int[capacity];
    int length = Integer.highestOneBit(Math.max(4, capacity) * 4 - 1);
    keys = new long[length];
    entries = new int[length];
    clear();
  }

  public void clear() {
    Arrays.fill(keys, -1);
    size = 0;
  }

  public void add(long page, int stores) {
    int mask = keys.length - 1;
    int at = Long.hashCode(page * 0x9E37_79B9_7F4A_7C15L) & mask;
    while (keys[at] != -1 && keys[at] != page) {
      at = (at + 1) & mask;
    }
    if (keys[at] == -1) {
      keys[at] = page;
      entries[at] = size;
      pages[size] = page;
      sums[size++] = 0;
    }
    sums[entries[at]] += stores;
  }

  public int size() {
    return size;
  }

  public long page(int index) {
    return pages[index];
  }

  public int stores(int index) {
    return sums[index];
  }
}
