package io.howdah.txn.alloc;

import java.util.Arrays;

/**
 * What one transaction does to free space. Hints must follow what is committed: a run taken comes
 * back if the transaction does not commit, and what it frees counts only if it does. Not
 * thread-safe.
 */
final class AllocationNotes {

  /** A free run that the transaction uses: page, length. Back if it does not commit. */
  static final int TAKEN = 0;

  /** A run that is free once the transaction commits: page, length. */
  static final int FREED = 1;

  /** A slab with a free block once the transaction commits: page, size class. */
  static final int PARTIAL = 2;

  /** A slab that the transaction has made, for its arena: page, size class. */
  static final int MADE = 3;

  /**
   * A page of nodes taken out of the hints of a class: page, class. Back if the transaction does
   * not commit.
   */
  static final int NODE = 5;

  /**
   * A run of pages of nodes that the transaction has made, for its arena: page, class and from bit
   * {@value #PAGES_SHIFT} on number of pages.
   */
  static final int RUN = 6;

  /** A run freed that the transaction has taken again, or joined to another. */
  private static final int USED = 4;

  private static final int PAGES_SHIFT = 8;
  private static final int CLASS_MASK = (1 << PAGES_SHIFT) - 1;
  private static final int KEPT = 64;
  private static final int[] NONE = {};
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final long[] few = new long[3 * 8];

  /** Kind, page and length of each note in turn. */
  private long[] notes = few;

  private int length;

  /**
   * The last note of each run freed, plus 1, by its page; open addressing. Empty while there are
   * few notes, which are looked through.
   */
  private int[] freed = NONE;

  private int freedCount;

  void add(int kind, long page, long argument) {
    if (kind == PARTIAL && length > 0) {
      int last = length - 3;
      if (notes[last] == PARTIAL && notes[last + 1] == page) {
        return; // frees come in bursts
      }
    }
    if (length == notes.length) {
      notes = Arrays.copyOf(notes, 2 * length);
    }
    if (kind == FREED && length >= 3 * KEPT && 2 * freedCount >= freed.length) {
      index(Math.max(4 * KEPT, 2 * freed.length)); // before anything changes, as above
    }
    notes[length] = kind;
    notes[length + 1] = page;
    notes[length + 2] = argument;
    length += 3;
    if (kind == FREED && freed.length != 0) {
      put(length / 3 - 1);
    }
  }

  /** Notes a run of pages of nodes that the transaction has made. */
  void addRun(long page, int sizeClass, long pages) {
    add(RUN, page, sizeClass | pages << PAGES_SHIFT);
  }

  private void index(int slots) {
    freed = new int[slots];
    freedCount = 0;
    for (int i = 0; i < length / 3; i++) {
      if (kind(i) == FREED || kind(i) == USED) {
        put(i);
      }
    }
  }

  private void put(int note) {
    int slot = slot(page(note));
    freedCount += freed[slot] == 0 ? 1 : 0;
    freed[slot] = note + 1;
  }

  /** Returns the slot of a page, or the free one that it may have. */
  private int slot(long page) {
    int mask = freed.length - 1;
    int slot = (int) ((page * MULTIPLIER) >>> Integer.SIZE) & mask;
    while (freed[slot] != 0 && page(freed[slot] - 1) != page) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Takes a run of at least so many pages that this transaction has freed; -1 if there is none. */
  int takeFreed(long pages) {
    for (int i = length - 3; i >= 0; i -= 3) {
      if (notes[i] == FREED && notes[i + 2] >= pages) {
        notes[i] = USED;
        return i / 3;
      }
    }
    return -1;
  }

  /** Forgets the run that this transaction has freed at a page, if any: it has become a part. */
  void dropFreed(long page) {
    if (freed.length != 0) {
      int note = freed[slot(page)] - 1;
      if (note >= 0 && kind(note) == FREED) {
        notes[3 * note] = USED;
      }
      return;
    }
    for (int i = length - 3; i >= 0; i -= 3) {
      if (notes[i] == FREED && notes[i + 1] == page) {
        notes[i] = USED;
        return;
      }
    }
  }

  /**
   * The transaction has gone back to a savepoint: runs that it had freed before, and used or joined
   * since, may be free again. The notes of runs that are not do no harm.
   */
  void rolledBack() {
    for (int i = 0; i < length; i += 3) {
      if (notes[i] == USED) {
        notes[i] = FREED;
      }
    }
  }

  boolean isEmpty() {
    return length == 0;
  }

  /** Returns whether a note is about a slab, or pages of nodes, in which something may be free. */
  boolean isSlab(int index) {
    int kind = kind(index);
    return kind == PARTIAL || kind == MADE || kind == RUN;
  }

  /** Returns the class of a note about a slab or pages of nodes. */
  int sizeClass(int index) {
    return (int) argument(index) & CLASS_MASK;
  }

  /** Returns how many pages a note about pages of nodes has. */
  long pages(int index) {
    return kind(index) == RUN ? argument(index) >>> PAGES_SHIFT : 1;
  }

  int count() {
    return length / 3;
  }

  int kind(int index) {
    return (int) notes[3 * index];
  }

  long page(int index) {
    return notes[3 * index + 1];
  }

  long argument(int index) {
    return notes[3 * index + 2];
  }

  void clear() {
    length = 0;
    freed = NONE;
    freedCount = 0;
    if (notes.length > 3 * KEPT) {
      notes = few; // without asking for memory: a commit comes here
    }
  }
}
