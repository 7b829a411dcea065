package io.howdah.txn.words;

import org.jspecify.annotations.Nullable;

/**
 * The orecs that a commit locks, with the words they held before. A lock names the commit's lane,
 * so the holder of the lane knows its own locks. Not thread-safe.
 */
public final class OrecLocks {

  /** Returned by {@link #lockAll} if another commit has locked one of the orecs. */
  public static final long LOCKED_BY_OTHER = -1;

  private static final int FIRST_ENTRIES = 64;
  private static final int KEPT_ENTRIES = 1 << 12;

  private final OrecTable orecs;

  /** Number and former word of each orec in turn. */
  private long[] entries = new long[2 * FIRST_ENTRIES];

  private int count;

  /** Whether the entry after the last one is filled in; its orec may be locked. */
  private boolean isPrepared;

  public OrecLocks(OrecTable orecs) {
    this.orecs = orecs;
  }

  public int count() {
    return count;
  }

  public long orec(int index) {
    return entries[2 * index];
  }

  /** Returns what the orec held before it was locked. */
  public long former(int index) {
    return entries[2 * index + 1];
  }

  /** Empties the list and makes space for this many locks, so that {@link #prepare} cannot fail. */
  public void clear(int capacity) {
    count = 0;
    isPrepared = false;
    if (entries.length < 2 * capacity) {
      entries = new long[4 * Integer.highestOneBit(capacity - 1)];
    }
  }

  /**
   * Locks the orec of every word that is written or guarded.
   *
   * @return the largest word that one of them held, or {@link #LOCKED_BY_OTHER}; then some of them
   *     are locked
   */
  public long lockAll(WriteSet writes, Guards guards, int lane) {
    long[] array = orecs.array(); // held here: fields are loaded again behind each compare-and-set
    long stripe = -1;
    long newest = 0;
    WrittenRows rows = writes.rows();
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      long end = rows.endAddress(row);
      for (long a = rows.address(row) & -OrecTable.STRIPE_BYTES;
          a < end;
          a += OrecTable.STRIPE_BYTES) {
        long former = lock(array, a, lane);
        if (former == LOCKED_BY_OTHER) {
          return LOCKED_BY_OTHER;
        }
        newest = Math.max(newest, former);
      }
    }
    for (int i = 0, n = writes.singles(); i < n; i++) {
      long address = writes.address(i);
      if (OrecTable.stripe(address) == stripe) {
        continue; // words are mostly written in rows
      }
      stripe = OrecTable.stripe(address);
      long former = lock(array, address, lane);
      if (former == LOCKED_BY_OTHER) {
        return LOCKED_BY_OTHER;
      }
      newest = Math.max(newest, former);
    }
    for (int i = 0, n = guards.count(); i < n; i++) {
      long former = lock(array, guards.address(i), lane);
      if (former == LOCKED_BY_OTHER) {
        return LOCKED_BY_OTHER;
      }
      newest = Math.max(newest, former);
    }
    return newest;
  }

  /** Locks the orec of an address; returns what it held, 0 if this commit has locked it already. */
  private long lock(long @Nullable [] array, long address, int lane) {
    long orec = orecs.of(address);
    long word = orecs.getOpaque(array, orec);
    if (OrecTable.isLocked(word)) {
      // Two addresses may share an orec.
      return OrecTable.isLockedBy(word, lane) ? 0 : LOCKED_BY_OTHER;
    }
    prepare(orec, word);
    if (!orecs.compareAndSet(array, orec, word, OrecTable.locked(count, lane))) {
      return LOCKED_BY_OTHER;
    }
    confirm();
    return word;
  }

  /** Writes down an orec that is about to be locked, without counting it. */
  public void prepare(long orec, long former) {
    entries[2 * count] = orec;
    entries[2 * count + 1] = former;
    isPrepared = true;
  }

  /** Counts the prepared orec, which is locked now. */
  public void confirm() {
    count++;
    isPrepared = false;
  }

  /**
   * Validates a read set (R4). An orec that this commit has locked counts as what it held before.
   */
  public boolean areCurrent(ReadSet reads, int lane) {
    OrecTable orecs = this.orecs;
    for (int i = 0, n = reads.count(); i < n; i++) {
      long seen = reads.seen(i);
      // Acquire suffices: the fetch-and-add of every commit with a lower LSN precedes ours on the
      // clock, and its locks precede its fetch-and-add, so they are visible here.
      long word = orecs.getAcquire(reads.orec(i));
      if (word != seen
          && !(OrecTable.isLockedBy(word, lane) && former(OrecTable.lockIndex(word)) == seen)) {
        return false;
      }
    }
    return true;
  }

  /** Unlocks all orecs and gives them the version of the commit. */
  public void release(long lsn) {
    orecs.setAllRelease(entries, count, OrecTable.unlocked(lsn));
  }

  /** Unlocks all orecs, gives them what they held before, and empties the list. */
  public void restore() {
    for (int i = 0, n = count; i < n; i++) {
      orecs.setRelease(orec(i), former(i));
    }
    count = 0; // last: an error in between leaves the rest to restoreAfterError
  }

  /**
   * Restores the orecs after an error, which may have come in the middle of a lock or of {@link
   * #restore}. Orecs that are restored already may be locked by other commits by now. Only this
   * commit locks orecs for its lane, since it holds the lease.
   */
  public void restoreAfterError(int lane) {
    int prepared = isPrepared ? 1 : 0;
    for (int i = 0, n = count + prepared; i < n; i++) {
      if (orecs.getOpaque(orec(i)) == OrecTable.locked(i, lane)) {
        orecs.setRelease(orec(i), former(i));
      }
    }
  }

  /** Gives memory back that an unusually large transaction needed. */
  public void trim() {
    count = 0;
    isPrepared = false;
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
    }
  }
}
