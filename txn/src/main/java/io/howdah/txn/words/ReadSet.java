package io.howdah.txn.words;

import java.util.Arrays;

/**
 * The orecs a transaction has read, with the words they held then. Not thread-safe.
 *
 * <p>Bounded: repetitions are removed before it grows past {@value #COMPACT_FROM} entries, so it
 * holds at most four times as many as there are orecs.
 */
public final class ReadSet {

  private static final int FIRST_ENTRIES = 64;
  private static final int COMPACT_FROM = 1 << 10;

  /** Most entries of a {@link #filter} of 64 bits: with more it would often be wrong. */
  private static final int FILTERED_ENTRIES = 16;

  private static final int KEPT_ENTRIES = 1 << 12;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** Number and word of each orec in turn: one cache line holds four. */
  private long[] entries = new long[2 * FIRST_ENTRIES];

  private int length;

  /** What was added last, or -1. */
  private long last = -1;

  /** Called when many orecs have been read. */
  private final Runnable whenLong;

  /** Whether reads are not kept. */
  private boolean isForgetting;

  /**
   * Creates an empty one.
   *
   * @param whenLong called after a read has been added, whenever {@value #COMPACT_FROM} or more are
   *     there and more room is needed
   */
  ReadSet(Runnable whenLong) {
    this.whenLong = whenLong;
  }

  public int count() {
    return length >> 1;
  }

  public long orec(int index) {
    return entries[2 * index];
  }

  /** Returns what the orec held when it was read: unlocked. */
  public long seen(int index) {
    return entries[2 * index + 1];
  }

  /**
   * Adds what an orec held. This method and the two that it needs have at most 35 bytes of bytecode
   * each: such methods are inlined wherever they are called. Longer ones are inlined only where the
   * call is frequent, which the call behind a read is not in a program that mostly reads what it
   * has written.
   */
  public void add(long orec, long seen) {
    // Neighbouring words share an orec; the pair equals the last one, or it would not be valid.
    if (orec != last) {
      addOther(orec, seen);
    }
  }

  private void addOther(long orec, long seen) {
    // The comparison is that of the array access, so the compiler makes one of the two.
    if (Integer.compareUnsigned(length + 1, entries.length) < 0) {
      addAt(length, orec, seen);
      return;
    }
    addWithRoom(orec, seen);
  }

  private void addAt(int at, long orec, long seen) {
    entries[at + 1] = seen;
    entries[at] = orec;
    length = at + 2;
    last = orec;
  }

  /**
   * Adds orecs that lie side by side. All of them are added before the call for many orecs, since
   * their words have been read.
   *
   * @param seen what they held, from index {@code first} on
   */
  public void add(long orec, long[] seen, int first, int count) {
    if (isForgetting) {
      return;
    }
    boolean isLong = false;
    if (length + 2 * count > entries.length) {
      isLong = makeRoom();
    }
    long[] entries = this.entries;
    int length = this.length;
    for (int i = 0; i < count; i++) {
      entries[length] = orec + i;
      entries[length + 1] = seen[first + i];
      length += 2;
    }
    this.length = length;
    last = orec + count - 1;
    if (isLong) {
      whenLong.run();
    }
  }

  /** Adds two orecs that lie side by side, likewise. */
  public void add(long orec, long seen, long seenNext) {
    boolean isLong = length + 4 > entries.length && makeRoom();
    long[] entries = this.entries;
    int length = this.length;
    entries[length] = orec;
    entries[length + 1] = seen;
    entries[length + 2] = orec + 1;
    entries[length + 3] = seenNext;
    this.length = length + 4;
    last = orec + 1;
    if (isLong) {
      whenLong.run();
    }
  }

  /** Returns whether there is room for so many reads behind {@link #end}. */
  boolean hasRoom(int count) {
    return length + 2 * count <= entries.length;
  }

  /**
   * Returns the array that the reads are in: the caller may write down reads that are not valid yet
   * from {@link #end} on, each as its orec and what that held.
   */
  long[] entries() {
    return entries;
  }

  /** Returns where the next read goes. */
  public int end() {
    return length;
  }

  /** Adds the first of the reads written down from {@link #end} on, which are valid. */
  public void confirm(int count) {
    length += 2 * count;
    last = -1;
  }

  private void addWithRoom(long orec, long seen) {
    boolean isLong = makeRoom();
    entries[length] = orec;
    entries[length + 1] = seen;
    length += 2;
    last = orec;
    if (isLong) {
      whenLong.run();
    }
  }

  /**
   * Returns a filter of the orecs in a small set, for {@link #isIn}; the empty filter for a large
   * one.
   */
  public long filter() {
    int n = length <= 2 * FILTERED_ENTRIES ? length : 0;
    long[] entries = this.entries;
    long filter = 0;
    for (int i = 0; i < n; i += 2) {
      filter |= 1L << entries[i];
    }
    return filter;
  }

  /** Returns whether an orec is probably in the set that a filter was made of. */
  public static boolean isIn(long filter, long orec) {
    return (filter >>> orec & 1) != 0;
  }

  void clear() {
    length = 0;
    last = -1;
    isForgetting = false;
  }

  /** Drops all reads, also those to come: nothing will be validated. */
  void forget() {
    length = 0;
    isForgetting = true;
    last = -1;
  }

  /** Gives memory back that an unusually large transaction needed. */
  void trim() {
    clear();
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
    }
  }

  /** Makes room for a line's orecs and more; returns whether there are many already. */
  private boolean makeRoom() {
    if (isForgetting) {
      length = 0;
      return false;
    }
    boolean isLong = count() >= COMPACT_FROM;
    if (isLong) {
      removeRepetitions();
    }
    if (length > entries.length / 2) {
      entries = Arrays.copyOf(entries, 2 * entries.length);
    }
    return isLong;
  }

  /**
   * Keeps the first entry of each orec. Another one of the same orec holds the same word: within
   * one snapshot an orec has one version.
   */
  private void removeRepetitions() {
    int slots = Integer.highestOneBit(count()) << 2;
    int mask = slots - 1;
    long[] seen = new long[slots];
    int kept = 0;
    for (int i = 0; i < length; i += 2) {
      long key = entries[i] + 1; // an orec may be number 0, an empty slot is
      int slot = (int) ((key * MULTIPLIER) >>> 32) & mask;
      while (seen[slot] != 0 && seen[slot] != key) {
        slot = (slot + 1) & mask;
      }
      if (seen[slot] == 0) {
        seen[slot] = key;
        entries[kept] = entries[i];
        entries[kept + 1] = entries[i + 1];
        kept += 2;
      }
    }
    length = kept;
  }
}
