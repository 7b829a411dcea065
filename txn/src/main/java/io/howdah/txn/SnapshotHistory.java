package io.howdah.txn;

import io.howdah.core.Region;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * What words held before they were overwritten, for as long as a long reader may ask: so readers of
 * many words neither lose against writers nor stop them. While nobody reads that way, a commit pays
 * one look at a flag.
 *
 * <p>Holds the last {@value #MAX_WORDS} changes of words, 40 MiB; a reader for whom that is not
 * enough gets {@link SnapshotLostException}, and nobody waits for it. Empty when the last reader
 * has gone.
 *
 * <p>Thread-safe. The lock is held for a few words of a commit, or for one look-up, and never while
 * a word of the region is read.
 */
final class SnapshotHistory {

  /** Most changes of words that are kept. */
  static final int MAX_WORDS = 1 << 20;

  private static final int FIRST_WORDS = 1 << 10;
  private static final int KEPT_WORDS = 1 << 14;

  /** Words that a commit reads before it records them under the lock. */
  static final int CHUNK_WORDS = 64;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** Number of open snapshots. A committer looks at it after it has taken its LSN. */
  private volatile int open;

  // A ring of changes; the k-th is at k & mask. All guarded by this.
  private long[] addresses = new long[0];
  private long[] lsns = new long[0];
  private long[] values = new long[0];

  /** The change before this one whose address hashes alike, by number; below tail = none. */
  private long[] previous = new long[0];

  /** The last change of each hash, by number + 1. */
  private long[] index = new long[0];

  private long head;
  private long tail;

  /** Snapshots older than this may have lost changes. */
  private long lostBelow;

  /**
   * Opens a snapshot of the present.
   *
   * @return its LSN: all commits up to it are seen, and what later ones overwrite is kept
   */
  long open(LongSupplier clock) {
    synchronized (this) {
      open++;
    }
    // A commit with a later LSN than the clock shows below took it after this fence, and so sees
    // the flag; pairs with the volatile read in isOpen, which follows the committer's F&A.
    VarHandle.fullFence();
    return clock.getAsLong();
  }

  synchronized void close() {
    open--;
    if (open == 0) {
      head = 0;
      tail = 0;
      lostBelow = 0;
      if (addresses.length > KEPT_WORDS) {
        resize(0);
      } else {
        Arrays.fill(index, 0);
      }
    }
  }

  /** Returns whether a commit has to record what it overwrites. */
  boolean isOpen() {
    return open != 0;
  }

  /**
   * Records what a commit is about to overwrite; its orecs are locked, so nobody looks for any of
   * it before all of it is here. Throws nothing.
   *
   * @param former room for {@value #CHUNK_WORDS} words
   */
  void record(WriteSet writes, Region region, long lsn, long[] former) {
    for (int from = 0, n = writes.count(); from < n; from += CHUNK_WORDS) {
      int to = Math.min(n, from + CHUNK_WORDS);
      for (int i = from; i < to; i++) {
        former[i - from] = region.getLongOpaque(writes.address(i));
      }
      record(writes, from, to, lsn, former);
    }
  }

  private synchronized void record(WriteSet writes, int from, int to, long lsn, long[] former) {
    if (open == 0) {
      return; // whoever opens one now sees all of this commit
    }
    try {
      for (int i = from; i < to; i++) {
        add(writes.address(i), lsn, former[i - from]);
      }
    } catch (OutOfMemoryError e) {
      // The commit goes on: losing the readers is the lesser harm.
      lostBelow = Long.MAX_VALUE;
    }
  }

  private void add(long address, long lsn, long value) {
    if (head - tail == addresses.length && !makeRoom()) {
      lostBelow = Math.max(lostBelow, lsns[(int) tail & (lsns.length - 1)]);
      tail++;
    }
    int at = (int) head & (addresses.length - 1);
    int slot = slot(address);
    addresses[at] = address;
    lsns[at] = lsn;
    values[at] = value;
    previous[at] = index[slot];
    index[slot] = ++head;
  }

  private int slot(long address) {
    return (int) ((address * MULTIPLIER) >>> 32) & (index.length - 1);
  }

  private boolean makeRoom() {
    if (addresses.length == MAX_WORDS) {
      return false;
    }
    resize(Math.max(FIRST_WORDS, 2 * addresses.length));
    return true;
  }

  private void resize(int capacity) {
    long[] oldAddresses = addresses;
    long[] oldLsns = lsns;
    long[] oldValues = values;
    int count = capacity == 0 ? 0 : (int) (head - tail);
    long from = tail;
    addresses = new long[capacity];
    lsns = new long[capacity];
    values = new long[capacity];
    previous = new long[capacity];
    index = new long[capacity];
    head = 0;
    tail = 0;
    for (long i = from; i < from + count; i++) {
      int at = (int) i & (oldAddresses.length - 1);
      add(oldAddresses[at], oldLsns[at], oldValues[at]);
    }
  }

  /**
   * Returns what a word held in a snapshot.
   *
   * @param current what it holds now, or held when a later commit than the snapshot had written it
   * @throws SnapshotLostException if that is no longer known
   */
  synchronized long value(long address, long snapshot, long current) {
    if (snapshot < lostBelow) {
      throw new SnapshotLostException(
          "the long read that began at LSN "
              + snapshot
              + " has lasted while more than "
              + MAX_WORDS
              + " words were overwritten, which is as much as the store remembers for"
              + " readers; read in shorter transactions, or pause the writers");
    }
    if (index.length == 0) {
      return current;
    }
    long found = current;
    // The newest change comes first; the oldest after the snapshot has what the snapshot saw.
    for (long number = index[slot(address)]; number > tail; ) {
      int at = (int) (number - 1) & (addresses.length - 1);
      if (addresses[at] == address && lsns[at] > snapshot) {
        found = values[at];
      }
      number = previous[at];
    }
    return found;
  }
}
