package io.howdah.txn.alloc;

import java.util.Arrays;

/**
 * Slabs that may have free blocks, by size class: hints, last come first served. A slab may stand
 * here twice. Holds at most {@value #MAX_SLABS} of a class; what it has to forget, the next scan
 * finds again. Thread-safe.
 */
final class PartialSlabs {

  private static final int MAX_SLABS = 1 << 16;

  private final long[][] slabs = new long[SizeClasses.COUNT][0]; // each guarded by its lock
  private final int[] counts = new int[SizeClasses.COUNT];
  private final Object[] locks = new Object[SizeClasses.COUNT];

  PartialSlabs() {
    Arrays.setAll(locks, _ -> new Object());
  }

  /** Notes the slab that starts at a page, unless it was the last one noted. */
  void add(int sizeClass, long page) {
    synchronized (locks[sizeClass]) {
      int count = counts[sizeClass];
      if (count == MAX_SLABS || (count > 0 && slabs[sizeClass][count - 1] == page)) {
        return;
      }
      if (count == slabs[sizeClass].length) {
        slabs[sizeClass] = Arrays.copyOf(slabs[sizeClass], Math.max(16, 2 * count));
      }
      slabs[sizeClass][count] = page;
      counts[sizeClass] = count + 1;
    }
  }

  /** Takes out the page of a slab, or 0. */
  long poll(int sizeClass) {
    synchronized (locks[sizeClass]) {
      return counts[sizeClass] == 0 ? 0 : slabs[sizeClass][--counts[sizeClass]];
    }
  }

  void clear() {
    for (int i = 0; i < locks.length; i++) {
      synchronized (locks[i]) {
        counts[i] = 0;
      }
    }
  }
}
