package io.howdah.nvmsim.thynvm.table;

import java.util.Arrays;

/**
 * The Page Translation Table (PTT). An entry's number is also the number of the page's slot in the
 * page cache and in the page checkpoint region, so hardware finds both by an addition.
 */
public final class PageTable {
  /** No entry. */
  public static final int NONE = LongIndex.NOT_FOUND;

  /** Bits of an entry: page index, version, visible region, checkpoint region, store counter. */
  public static final int ENTRY_BITS = 36 + 2 + 2 + 1 + 6;

  private static final int FREE = 0;
  private static final int USED = 1;
  private static final int DIRTY = 2;
  private static final int CHECKPOINT_AT_HOME = 4;
  private static final int WRITING_BACK = 8;
  private static final int LEAVING = 16;
  private static final int PROMOTED = 32;

  private final int[] flags;
  private final long[] pages;
  private final int[] stores;
  private final int[] freeStack;
  private final LongIndex index;
  private int free;
  private int dirty;

  public PageTable(int capacity) {
    flags = new int[capacity];
    pages = new long[capacity];
    stores = new int[capacity];
    freeStack = new int[capacity];
    Arrays.setAll(freeStack, i -> capacity - 1 - i);
    free = capacity;
    index = new LongIndex(capacity);
  }

  public int capacity() {
    return flags.length;
  }

  public int used() {
    return flags.length - free;
  }

  /** Pages written in this epoch. */
  public int dirty() {
    return dirty;
  }

  /** The page's entry or {@link #NONE}. */
  public int find(long page) {
    return index.get(page);
  }

  /** Takes a free entry, which must exist. */
  public int insert(long page, boolean checkpointAtHome) {
    int entry = freeStack[--free];
    flags[entry] = USED | (checkpointAtHome ? CHECKPOINT_AT_HOME : 0);
    pages[entry] = page;
    stores[entry] = 0;
    index.put(page, entry);
    return entry;
  }

  /** Takes a particular free entry. */
  public void insertAt(int entry, long page, boolean checkpointAtHome) {
    int at = 0;
    while (freeStack[at] != entry) {
      at++;
    }
    freeStack[at] = freeStack[free - 1];
    freeStack[free - 1] = entry;
    insert(page, checkpointAtHome);
  }

  /** Forgets the page. */
  public void remove(int entry) {
    clean(entry);
    index.remove(pages[entry]);
    flags[entry] = FREE;
    freeStack[free++] = entry;
  }

  public boolean isUsed(int entry) {
    return flags[entry] != FREE;
  }

  public long page(int entry) {
    return pages[entry];
  }

  public int stores(int entry) {
    return stores[entry];
  }

  public void countStore(int entry) {
    stores[entry]++;
  }

  public void clearCounter(int entry) {
    stores[entry] = 0;
  }

  public boolean isDirty(int entry) {
    return (flags[entry] & DIRTY) != 0;
  }

  public void markDirty(int entry) {
    if ((flags[entry] & DIRTY) == 0) {
      flags[entry] |= DIRTY;
      dirty++;
    }
  }

  public void clean(int entry) {
    if ((flags[entry] & DIRTY) != 0) {
      flags[entry] &= ~DIRTY;
      dirty--;
    }
  }

  /** The checkpoint region ID: whether the last checkpoint of the page lies at Home. */
  public boolean checkpointAtHome(int entry) {
    return (flags[entry] & CHECKPOINT_AT_HOME) != 0;
  }

  public void setCheckpointAtHome(int entry, boolean home) {
    set(entry, CHECKPOINT_AT_HOME, home);
  }

  /** Whether the page is written back by the checkpoint in progress, so it must not change. */
  public boolean isWritingBack(int entry) {
    return (flags[entry] & WRITING_BACK) != 0;
  }

  public void setWritingBack(int entry, boolean on) {
    set(entry, WRITING_BACK, on);
  }

  /** Whether the page goes back to the block scheme when its write-back has completed. */
  public boolean isLeaving(int entry) {
    return (flags[entry] & LEAVING) != 0;
  }

  public void setLeaving(int entry, boolean on) {
    set(entry, LEAVING, on);
  }

  /** Whether the page came to DRAM at the end of this epoch. */
  public boolean isPromoted(int entry) {
    return (flags[entry] & PROMOTED) != 0;
  }

  public void setPromoted(int entry, boolean on) {
    set(entry, PROMOTED, on);
  }

  private void set(int entry, int flag, boolean on) {
    flags[entry] = on ? flags[entry] | flag : flags[entry] & ~flag;
  }
}
