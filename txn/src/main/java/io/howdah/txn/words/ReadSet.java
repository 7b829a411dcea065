package io.howdah.txn.words;

import java.util.Arrays;

/**
 * The orecs that a transaction has read, each with the word that was read. Not thread-safe.
 *
 * <p>Bounded: duplicates are removed before the set grows past {@value #COMPACT_FROM} entries, so
 * its size is at most four times the number of orecs.
 */
public final class ReadSet {

  private static final int FIRST_ENTRIES = 64;
  private static final int COMPACT_FROM = 1 << 10;

  private static final int KEPT_ENTRIES = 1 << 12;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** Pairs of an orec's number and its word; a cache line has four pairs. */
  private long[] entries = new long[2 * FIRST_ENTRIES];

  private int length;

  /** The orec that was added last, or -1. */
  private long last = -1;

  /** Called when the set has many orecs. */
  private final Runnable whenLong;

  /** Whether the set ignores reads. */
  private boolean isForgetting;

  /**
   * Creates an empty set.
   *
   * @param whenLong called after a read was added, if the set has at least {@value #COMPACT_FROM}
   *     entries and had to make room
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

  /** Returns the word of the orec when it was read; it is unlocked. */
  public long seen(int index) {
    return entries[2 * index + 1];
  }

  /**
   * Adds an orec and its word. This method and the two methods that it calls have at most 35 bytes
   * of bytecode each, so HotSpot inlines them at every call. It inlines a longer method only at
   * frequent calls. The call after a read is infrequent in a program that mostly reads its own
   * writes.
   */
  public void add(long orec, long seen) {
    // Adjacent words share an orec. Within a valid snapshot its word is the one added last.
    if (orec != last) {
      addOther(orec, seen);
    }
  }

  private void addOther(long orec, long seen) {
    // The array access makes the same comparison, so the JIT compiler merges the two.
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
   * Adds adjacent orecs. {@link #whenLong} runs after all of them are added, since the words of all
   * have been read.
   *
   * @param seen the orecs' words, from index {@code first} on
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

  /** Adds two adjacent orecs. */
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

  /** Returns whether there is room for {@code count} reads from {@link #end} on. */
  boolean hasRoom(int count) {
    return length + 2 * count <= entries.length;
  }

  /**
   * Returns the array of the reads. From {@link #end} on, the caller may write reads that it has
   * not validated yet, as pairs of an orec's number and its word.
   */
  long[] entries() {
    return entries;
  }

  /** Returns the index of the next read in {@link #entries}. */
  public int end() {
    return length;
  }

  /** Adds the first {@code count} of the reads written from {@link #end} on; they are valid. */
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

  void clear() {
    length = 0;
    last = -1;
    isForgetting = false;
  }

  /** Drops all reads and ignores later ones, because the transaction will not validate. */
  void forget() {
    length = 0;
    isForgetting = true;
    last = -1;
  }

  /** Frees memory that an unusually large transaction needed. */
  void trim() {
    clear();
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
    }
  }

  /**
   * Makes room for at least the orecs of a stripe group; returns whether the set has many entries.
   */
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
   * Keeps the first entry of each orec. Other entries of the orec have the same word, since an orec
   * has one version within a snapshot.
   */
  private void removeRepetitions() {
    int slots = Integer.highestOneBit(count()) << 2;
    int mask = slots - 1;
    long[] seen = new long[slots];
    int kept = 0;
    for (int i = 0; i < length; i += 2) {
      long key = entries[i] + 1; // 0 marks an empty slot, and orecs are numbered from 0
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
