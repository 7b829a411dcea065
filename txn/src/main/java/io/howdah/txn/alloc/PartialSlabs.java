package io.howdah.txn.alloc;

import java.util.Arrays;

/**
 * Slabs that may have free blocks, by size class: hints, last come first served. Holds at most
 * {@value #MAX_SLABS} of a class; what it has to forget, the next scan finds again.
 *
 * <p>Each slab stands here once. Otherwise the blocks that are freed in turns in a few slabs would
 * leave tens of thousands of hints, and one allocation, after those before it had filled the slabs,
 * would look through all of them.
 *
 * <p>Thread-safe.
 */
final class PartialSlabs {

  private static final int MAX_SLABS = 1 << 16;

  private final Stack[] stacks = new Stack[SizeClasses.COUNT]; // each guarded by itself

  PartialSlabs() {
    Arrays.setAll(stacks, _ -> new Stack());
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

  void clear() {
    for (Stack stack : stacks) {
      synchronized (stack) {
        stack.clear();
      }
    }
  }

  /** Pages, none of which is 0, in a stack and in a hash set of them, which has twice the room. */
  private static final class Stack {
    private long[] pages = new long[8];
    private long[] set = new long[16];
    private int count;

    void push(long page) {
      if (count == pages.length) {
        grow();
      }
      if (count < MAX_SLABS && insert(page)) {
        pages[count++] = page;
      }
    }

    long pop() {
      if (count == 0) {
        return 0;
      }
      long page = pages[--count];
      remove(page);
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
      pages = Arrays.copyOf(pages, 2 * count);
      set = new long[4 * count];
      for (int i = 0; i < count; i++) {
        insert(pages[i]);
      }
    }

    /** Returns whether the page was not there. */
    private boolean insert(long page) {
      int at = home(page);
      for (; set[at] != 0; at = (at + 1) & (set.length - 1)) {
        if (set[at] == page) {
          return false;
        }
      }
      set[at] = page;
      return true;
    }

    private void remove(long page) {
      int mask = set.length - 1;
      int hole = home(page);
      while (set[hole] != page) {
        hole = (hole + 1) & mask;
      }
      // Linear probing without marks for what was removed: those behind move up.
      for (int at = (hole + 1) & mask; set[at] != 0; at = (at + 1) & mask) {
        if (((at - home(set[at])) & mask) >= ((at - hole) & mask)) {
          set[hole] = set[at];
          hole = at;
        }
      }
      set[hole] = 0;
    }

    private int home(long page) {
      return (int) ((page * 0x9E3779B97F4A7C15L) >>> 40) & (set.length - 1);
    }
  }
}
