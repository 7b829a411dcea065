package io.howdah.txn.words;

import org.jspecify.annotations.Nullable;

/**
 * The orecs that a commit locks, with their former words. A locked orec contains the lane of the
 * commit, so a commit recognizes its own locks. Not thread-safe.
 */
public final class OrecLocks {

  /** Returned by {@link #lockAll} if another commit has locked one of the orecs. */
  public static final long LOCKED_BY_OTHER = -1;

  private static final int FIRST_ENTRIES = 64;
  private static final int KEPT_ENTRIES = 1 << 12;

  private final OrecTable orecs;

  /** Pairs of an orec's number and its former word. */
  private long[] entries = new long[2 * FIRST_ENTRIES];

  private int count;

  /** Whether the entry after the last one is written; its orec may be locked. */
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

  /** Returns the orec's word from before it was locked. */
  public long former(int index) {
    return entries[2 * index + 1];
  }

  /**
   * Empties the list and reserves space for {@code capacity} locks: {@link #prepare} cannot fail.
   */
  public void clear(int capacity) {
    count = 0;
    isPrepared = false;
    if (entries.length < 2 * capacity) {
      entries = new long[4 * Integer.highestOneBit(capacity - 1)];
    }
  }

  /**
   * Locks the orec of every word that is written or guarded, except for the words of guarded rows.
   *
   * @return the largest former word, or {@link #LOCKED_BY_OTHER}, in which case some orecs are
   *     locked
   */
  public long lockAll(WriteSet writes, Guards guards, int lane) {
    long[] array = orecs.array(); // a local: each compare-and-set makes the JIT reload fields
    long stripe = -1;
    long newest = 0;
    WrittenRows rows = writes.rows();
    int guarded = 0;
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      if (rows.isGuarded(row, guarded)) {
        guarded++;
        continue;
      }
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
        continue; // same stripe as the word before, whose orec is locked
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

  /**
   * Locks the orecs of all nodes that are written.
   *
   * @return the largest former word, or {@link #LOCKED_BY_OTHER}, in which case some orecs are
   *     locked
   */
  public long lockNodes(NodeWrites nodes, int lane) {
    long[] array = orecs.array();
    long newest = 0;
    for (int i = 0, n = nodes.count(); i < n; i++) {
      long former = lockOrec(array, orecs.ofNode(nodes.address(i)), lane);
      if (former == LOCKED_BY_OTHER) {
        return LOCKED_BY_OTHER;
      }
      newest = Math.max(newest, former);
    }
    return newest;
  }

  /**
   * Locks the orec of an address; returns its former word, or 0 if this commit locked it before.
   */
  private long lock(long @Nullable [] array, long address, int lane) {
    return lockOrec(array, orecs.of(address), lane);
  }

  private long lockOrec(long @Nullable [] array, long orec, int lane) {
    long word = orecs.getOpaque(array, orec);
    if (OrecTable.isLocked(word)) {
      // Two addresses or two nodes may share an orec.
      return OrecTable.isLockedBy(word, lane) ? 0 : LOCKED_BY_OTHER;
    }
    prepare(orec, word);
    if (!orecs.compareAndSet(array, orec, word, OrecTable.locked(count, lane))) {
      return LOCKED_BY_OTHER;
    }
    confirm();
    return word;
  }

  /** Writes the entry of an orec that is about to be locked, without counting it. */
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

  /** Validates a read set (R4). For an orec that this commit has locked, its former word counts. */
  public boolean areCurrent(ReadSet reads, int lane) {
    OrecTable orecs = this.orecs;
    for (int i = 0, n = reads.count(); i < n; i++) {
      long seen = reads.seen(i);
      // Acquire suffices. Every commit locks its orecs, then takes its LSN by a fetch-and-add on
      // the clock. The fetch-and-add of a commit with a lower LSN precedes this commit's own, so
      // the locks of that commit are visible to this load.
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

  /** Unlocks all orecs by restoring their former words, and empties the list. */
  public void restore() {
    for (int i = 0, n = count; i < n; i++) {
      orecs.setRelease(orec(i), former(i));
    }
    count = 0; // last: after an error in the loop, restoreAfterError needs the entries
  }

  /**
   * Restores the orecs after an error, which may have interrupted a lock or {@link #restore}. Other
   * commits may have locked orecs that were restored before the error. This commit's own locks are
   * those with its lane, because it has the lease of the lane.
   */
  public void restoreAfterError(int lane) {
    int prepared = isPrepared ? 1 : 0;
    for (int i = 0, n = count + prepared; i < n; i++) {
      if (orecs.getOpaque(orec(i)) == OrecTable.locked(i, lane)) {
        orecs.setRelease(orec(i), former(i));
      }
    }
  }

  /** Frees memory that an unusually large transaction needed. */
  public void trim() {
    count = 0;
    isPrepared = false;
    if (entries.length > 2 * KEPT_ENTRIES) {
      entries = new long[2 * FIRST_ENTRIES];
    }
  }
}
