package io.howdah.txn.alloc;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Slabs that may have free blocks, by size class, and pages of nodes that may have free nodes, by
 * {@link NodePages#classOf}: hints, last come first served. Holds at most {@value #MAX_SLABS} of a
 * class; what it has to forget, the next scan finds again.
 *
 * <p>Each slab stands here once. Otherwise the blocks that are freed in turns in a few slabs would
 * leave tens of thousands of hints, and one allocation, after those before it had filled the slabs,
 * would look through all of them.
 *
 * <p>Thread-safe.
 */
final class PartialSlabs {

  private static final int MAX_SLABS = 1 << 16;

  private final Stack[] stacks = new Stack[NodePages.CLASSES]; // each guarded by itself

  /**
   * Creates an empty one.
   *
   * @param memory makes arrays of a length
   */
  PartialSlabs(IntFunction<long[]> memory) {
    for (int i = 0; i < stacks.length; i++) {
      stacks[i] = new Stack(memory);
    }
  }

  /** Notes the slab that starts at a page, unless it is noted. */
  void add(int sizeClass, long page) {
    Stack stack = stacks[sizeClass];
    synchronized (stack) {
      stack.push(page);
    }
  }

  /** Takes out the page of a slab, or 0. */
  long poll(int sizeClass) {
    Stack stack = stacks[sizeClass];
    synchronized (stack) {
      return stack.pop();
    }
  }

  /** Returns how many are noted. */
  int count(int sizeClass) {
    Stack stack = stacks[sizeClass];
    synchronized (stack) {
      return stack.count;
    }
  }

  void clear() {
    for (Stack stack : stacks) {
      synchronized (stack) {
        stack.clear();
      }
    }
  }

  /** Pages, none of which is 0, in a stack and in a hash set of them, which has twice the room. */
  private static final class Stack {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final int SHIFT = 40;

    private final IntFunction<long[]> memory;
    private long[] pages = new long[8];
    private long[] set = new long[16];
    private int count;

    Stack(IntFunction<long[]> memory) {
      this.memory = memory;
    }

    void push(long page) {
      if (count == pages.length) {
        grow();
      }
      if (count < MAX_SLABS && insert(set, page)) {
        pages[count++] = page;
      }
    }

    long pop() {
      if (count == 0) {
        return 0;
      }
      long page = pages[--count];
      remove(set, page);
      return page;
    }

    void clear() {
      count = 0;
      Arrays.fill(set, 0);
    }

    private void grow() {
      if (count == MAX_SLABS) {
        return;
      }
      // Both before anything changes: there may be no memory.
      long[] morePages = memory.apply(2 * count);
      long[] moreSet = memory.apply(4 * count);
      System.arraycopy(pages, 0, morePages, 0, count);
      for (int i = 0; i < count; i++) {
        insert(moreSet, pages[i]);
      }
      pages = morePages;
      set = moreSet;
    }

    /** Returns whether the page was not there. */
    private static boolean insert(long[] set, long page) {
      int mask = set.length - 1;
      int at = (int) ((page * MULTIPLIER) >>> SHIFT) & mask;
      for (; set[at] != 0; at = (at + 1) & mask) {
        if (set[at] == page) {
          return false;
        }
      }
      set[at] = page;
      return true;
    }

    /** Calls nothing, so that no end of the stack can leave it halfway. */
    private static void remove(long[] set, long page) {
      int mask = set.length - 1;
      int hole = (int) ((page * MULTIPLIER) >>> SHIFT) & mask;
      while (set[hole] != page) {
        if (set[hole] == 0) {
          return;
        }
        hole = (hole + 1) & mask;
      }
      // Linear probing without marks for what was removed: those behind move up.
      for (int at = (hole + 1) & mask; set[at] != 0; at = (at + 1) & mask) {
        int home = (int) ((set[at] * MULTIPLIER) >>> SHIFT) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
          set[hole] = set[at];
          hole = at;
        }
      }
      set[hole] = 0;
    }
  }
}
