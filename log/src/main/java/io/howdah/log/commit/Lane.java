package io.howdah.log.commit;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import org.jspecify.annotations.Nullable;

/**
 * A log partition as one commit at a time uses it: its ring, and the announcement that keeps the
 * stable LSN below the commit until it has finished. Leased exclusively for the commit window. The
 * holder never parks, except while it writes a transaction that is larger than a ring.
 *
 * <p>The order within a window is that of docs/protocol.md, R5: lease, ring space, orec locks,
 * {@link #announce}, {@link #takeLsn}, validation, {@link #begin} {@link #put} {@link #publish} or
 * {@link #publishVoid}, data stores, orec releases, {@link #finish}.
 *
 * <p>Not thread-safe: all methods but {@code tryLease} are for the holder.
 */
public final class Lane {

  private static final int PENDING_WORDS = 127;

  private final Region words;
  private final long leaseOffset;
  private final int partition;
  private final @Nullable Ring ring;
  private final long logSeed;

  // Guarded by the lease: its CAS and release store pass these fields from holder to holder.
  private long tail;
  private long lastLsn;
  private long knownForced;
  private long taint;
  private long lastGroup;
  private boolean partsOpen;
  private long cursor;
  private long recordEnd;
  private long checksum;

  /** Words of the record that are not in the ring yet: most records are copied in one piece. */
  private final long[] pending = new long[PENDING_WORDS + 1];

  private int pendingCount;

  public Lane(Region words, int partition, @Nullable Ring ring, long logSeed) {
    this.words = words;
    this.leaseOffset = CommitWords.lease(partition);
    this.partition = partition;
    this.ring = ring;
    this.logSeed = logSeed;
  }

  /** Returns the partition, from 0. */
  public int partition() {
    return partition;
  }

  /** Returns whether commits leave redo records; false in a volatile store. */
  public boolean isLogged() {
    return ring != null;
  }

  /**
   * Leases the lane if it is free.
   *
   * @param holder not 0; differs between the threads that use a store's lanes
   */
  public boolean tryLease(long holder) {
    return words.getLongOpaque(leaseOffset) == 0 && words.compareAndSetLong(leaseOffset, 0, holder);
  }

  /** Returns the holder of the lease, or 0. */
  long holder() {
    return words.getLongVolatile(leaseOffset);
  }

  public boolean isLeased() {
    return words.getLongVolatile(leaseOffset) != 0;
  }

  void release() {
    if (partsOpen) {
      partsOpen = false;
      words.setLongRelease(CommitWords.parts(partition), 0);
    }
    words.setLongRelease(leaseOffset, 0);
  }

  /**
   * Returns the position of the first part of the transaction that the lane is handing over, or
   * {@link Long#MAX_VALUE}. Any thread.
   */
  public long partsFrom() {
    long word = words.getLongAcquire(CommitWords.parts(partition));
    return word == 0 ? Long.MAX_VALUE : word - 1;
  }

  @Nullable Ring ring() {
    return ring;
  }

  /** Returns whether a record of this length fits into the ring now. */
  public boolean hasSpace(long lengthBytes) {
    Ring ring = this.ring;
    if (ring == null) {
      return true;
    }
    long needed = tail + lengthBytes - ring.capacityBytes();
    if (needed <= knownForced) {
      return true;
    }
    knownForced = ring.forcedPosition();
    return needed <= knownForced;
  }

  /** Announces the commit; the caller has not read the clock. */
  public void announce() {
    announce(0);
  }

  /**
   * Announces the commit: no LSN taken from here on, by this lane, is at or below the announcement.
   * Nothing may park or fail for an expected reason until {@link #finish}.
   *
   * <p>Any earlier value of the clock is correct; a recent one keeps the stable LSN back least.
   * Loading the clock here, just before the RMW on it, would move its cache line between processors
   * twice, so the newest value that the caller or the lane knows is used: it is a few commits old.
   *
   * @param known a dense LSN that was taken; 0 for none
   */
  public void announce(long known) {
    Ring ring = this.ring;
    if (ring != null) {
      ring.announce(Math.max(known, lastLsn));
    }
  }

  /** Takes the next LSN, packed with this partition. */
  public long takeLsn() {
    // Volatile: the flusher that reads this value with acquire also sees the announcement before
    // it.
    lastLsn = words.getAndAddLong(CommitWords.CLOCK, 1) + 1;
    return Lsn.pack(lastLsn, partition);
  }

  /** Returns the dense LSN that this lane took last; 0 before the first. */
  long lastLsn() {
    return lastLsn;
  }

  /**
   * Returns the dependency of a commit through this lane (R8), with that of earlier records of the
   * same partition folded in: a later record is replayed only behind them.
   *
   * @param largest the largest version read or overwritten above the stable LSN, packed; 0 for none
   * @param otherPartition the largest such version of another partition than {@code largest}'s
   */
  public long dependency(long largest, long otherPartition) {
    long own = Lsn.partition(largest) == partition ? otherPartition : largest;
    taint = Math.max(taint, own);
    return taint;
  }

  /** Starts a record; the lease has checked that {@code lengthBytes} are free in the ring. */
  public void begin(int kind, int lengthBytes, int count, long lsn, long dep) {
    cursor = tail;
    recordEnd = tail + lengthBytes;
    checksum = RedoRecordLayout.checksumSeed(logSeed, tail);
    pendingCount = 0;
    put(RedoRecordLayout.head(lengthBytes, kind, count));
    put(lsn);
    put(dep);
  }

  /** Appends a word to the record. */
  public void put(long word) {
    int count = pendingCount;
    if (count == PENDING_WORDS) {
      fold();
      move(count);
      count = 0;
    }
    pending[count] = word;
    pendingCount = count + 1;
  }

  /** Appends the first words of an array to the record. */
  public void put(long[] words, int count) {
    for (int from = 0; from < count; ) {
      if (pendingCount == PENDING_WORDS) {
        fold();
        move(PENDING_WORDS);
      }
      int few = Math.min(count - from, PENDING_WORDS - pendingCount);
      System.arraycopy(words, from, pending, pendingCount, few);
      pendingCount += few;
      from += few;
    }
  }

  /** Takes the pending words into the checksum. */
  private void fold() {
    long[] pending = this.pending;
    long checksum = this.checksum;
    for (int i = 0, n = pendingCount; i < n; i++) {
      checksum = RedoRecordLayout.mix(checksum, pending[i]);
    }
    this.checksum = checksum;
  }

  /** Moves the pending words to the ring. */
  private void move(int count) {
    Ring ring = this.ring;
    if (ring != null) {
      ring.setWords(cursor, pending, count);
    }
    cursor += (long) count * Long.BYTES;
    pendingCount = 0;
  }

  /**
   * Publishes the record: from here on it survives a kill of the process, and the commit has
   * happened.
   *
   * @throws IllegalStateException if the words do not fill the length given to {@link #begin};
   *     nothing is published then
   */
  public void publish() {
    int count = pendingCount + 1;
    long end = cursor + (long) count * Long.BYTES;
    if (end != recordEnd) {
      throw new IllegalStateException(
          "redo record of " + (recordEnd - tail) + " bytes was filled with " + (end - tail));
    }
    fold();
    pending[count - 1] = checksum;
    move(count);
    Ring ring = this.ring;
    if (ring != null) {
      ring.publish(recordEnd);
      tail = recordEnd;
    }
  }

  /**
   * Returns whether a record was published after a position that was the lane's {@link #position}.
   * Correct also if {@link #publish} threw.
   */
  public boolean isPublishedBehind(long position) {
    Ring ring = this.ring;
    return ring != null && ring.tail() != position;
  }

  /** Returns the position after the record published last: once forced, it is on the disk. */
  public long position() {
    return tail;
  }

  /** Publishes a void record for an LSN that was taken and not used, so that no LSN is missing. */
  public void publishVoid(long lsn) {
    begin(RedoRecordLayout.KIND_VOID, RedoRecordLayout.MIN_LENGTH, 0, lsn, taint);
    publish();
  }

  /**
   * Starts the parts of a large transaction. The log is not trimmed behind the first part until the
   * lane is returned.
   *
   * @return a number that this partition has not used in this generation
   */
  public long nextGroup() {
    partsOpen = true;
    // Visible before the first part: a trim that finds the part in a segment finds this word.
    words.setLongRelease(CommitWords.parts(partition), tail + 1);
    return ++lastGroup;
  }

  /** Ends the commit window: withdraws the announcement and returns the lane. */
  public void finish() {
    Ring ring = this.ring;
    if (ring != null) {
      ring.withdraw();
    }
    release();
  }

  /** Returns a clearer exception for a memory fault of this ring; any other throwable as it is. */
  Throwable explained(Throwable thrown) {
    return ring == null ? thrown : ring.explained(thrown);
  }
}
