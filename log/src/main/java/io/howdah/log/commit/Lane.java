package io.howdah.log.commit;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a commit holds while it commits, one commit at a time: the right to append to the ring of a
 * partition, and the announcement that keeps the stable LSN below the commit until it has
 * published. The holder never parks, except while it writes a transaction that is larger than a
 * ring.
 *
 * <p>The order of a commit is that of docs/protocol.md, R5. In a lane that is the only one of its
 * partition: lease, ring space, orec locks, {@link #announce}, {@link #takeLsn}, validation, {@link
 * #append} or {@link #publishVoid}, stores of the words, release of the orecs, {@link #finish}.
 *
 * <p>Several lanes may share a partition (R33). Then {@link #prepare} and {@link #tryAppend} come
 * between the orec locks and the announcement, and {@link #endAppend} follows the publication. In
 * between, the commit has the append lock of the partition: no other lane appends to the ring. A
 * second announcement, for checkpoints, stays until {@link #finish}.
 *
 * <p>Any thread may call {@link #tryLease}, {@link #holder}, {@link #isLeased}, {@link
 * #isAppendLocked}, {@link #partsFrom}, {@link #hasLeft}, {@link #explained} and what returns a
 * final field. All other methods are for the holder of the lease.
 */
public final class Lane {

  private static final int PENDING_WORDS = 127;

  private final Region words;
  private final long leaseOffset;
  private final int index;
  private final int partition;
  private final @Nullable Ring ring;
  private final long logSeed;

  /** Shared with other lanes of the partition; null if this is the only one. */
  private final @Nullable PartitionState shared;

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

  /** Whether {@link #pending} has a whole record, except for LSN and dependency. */
  private boolean isPrepared;

  /** Whether the lane has its partition's append lock, or has begun to take it. */
  private boolean isAppending;

  /** Creates the only lane of a partition; it has the partition's number. */
  public Lane(Region words, int partition, @Nullable Ring ring, long logSeed) {
    this(words, partition, partition, ring, logSeed, null);
  }

  private Lane(
      Region words,
      int index,
      int partition,
      @Nullable Ring ring,
      long logSeed,
      @Nullable PartitionState shared) {
    this.words = words;
    this.leaseOffset = CommitWords.lease(index);
    this.index = index;
    this.partition = partition;
    this.ring = ring;
    this.logSeed = logSeed;
    this.shared = shared;
  }

  /** Creates lanes that share a partition, with the given numbers. */
  static List<Lane> sharing(Region words, Ring ring, long logSeed, int... indexes) {
    PartitionState state = new PartitionState(words, ring.partition());
    List<Lane> lanes = new ArrayList<>(indexes.length);
    for (int index : indexes) {
      lanes.add(new Lane(words, index, ring.partition(), ring, logSeed, state));
    }
    return lanes;
  }

  /** Returns the number of the lane, from 0: orecs that its holder locks name it. */
  public int index() {
    return index;
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

  /** Returns the lane. Nothing is announced, or the announcements are withdrawn. */
  public void giveBack() {
    isPrepared = false; // the record of a commit that did not get the append lock
    closeParts();
    if (isAppending) {
      giveUpAppend();
    }
    words.setLongRelease(leaseOffset, 0);
  }

  private void requireAppending() {
    if (!isAppending) {
      throw new IllegalStateException("lane " + index + " does not append to its ring");
    }
  }

  private void closeParts() {
    if (partsOpen) {
      partsOpen = false;
      words.setLongRelease(CommitWords.parts(partition), 0);
    }
  }

  /** Returns whether other lanes append to the same ring. */
  public boolean isShared() {
    return shared != null;
  }

  /**
   * Makes a shared lane the only one that appends to its ring, if no other one does. Until {@link
   * #endAppend} or {@link #giveBack} the holder waits for nothing but space, and for that only if
   * it has locked no orec.
   */
  boolean tryAppend() {
    PartitionState shared = this.shared;
    if (shared == null) {
      return true;
    }
    isAppending = true; // first, so that a repair after an error gives the lock back
    if (!shared.tryLock(holderOfAppendLock())) {
      isAppending = false;
      return false;
    }
    tail = Objects.requireNonNull(ring).tail();
    return true;
  }

  /** Returns whether a lane has the append lock of the partition. Any thread. */
  boolean isAppendLocked() {
    PartitionState shared = this.shared;
    return shared != null && shared.isLocked();
  }

  private long holderOfAppendLock() {
    return index + 1L;
  }

  /**
   * Returns the append lock: the record, or a VOID record, is published. Withdraws the announcement
   * first: afterwards the word is another lane's. The log may be trimmed behind the parts of the
   * transaction from here on, although its words are not stored: it has its LSN, and a checkpoint
   * waits for the commits up to its own LSN ({@link #hasLeft}) before it copies words (R16, R32).
   */
  public void endAppend() {
    PartitionState shared = this.shared;
    if (shared != null) {
      closeParts();
      Objects.requireNonNull(ring).withdraw();
      shared.unlock();
      isAppending = false;
    }
  }

  /** Gives the append lock back, if this lane has it: nothing was published, or an error came. */
  void giveUpAppend() {
    PartitionState shared = this.shared;
    if (shared != null && shared.isLockedBy(holderOfAppendLock())) {
      Objects.requireNonNull(ring).withdraw();
      shared.unlock();
    }
    isAppending = false;
  }

  /**
   * Returns the position of the first part of the transaction that a lane of the partition is
   * handing over, or {@link Long#MAX_VALUE}. Any thread.
   */
  public long partsFrom() {
    long word = words.getLongAcquire(CommitWords.parts(partition));
    return word == 0 ? Long.MAX_VALUE : word - 1;
  }

  @Nullable Ring ring() {
    return ring;
  }

  /**
   * Returns whether a record of this length fits into the ring now. In a shared lane that does not
   * append, whether it might, by the tail that the lane saw last: whoever appends looks again.
   */
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
      long earlier = Math.max(known, lastLsn);
      if (shared != null) {
        requireAppending();
        words.setLongRelease(CommitWords.storing(index), earlier + 1);
      }
      ring.announce(earlier);
    }
  }

  /**
   * Returns whether every commit through this lane that took an LSN up to {@code lsn} has ended;
   * the effects of those that have are visible to the caller. Any thread.
   *
   * @param lsn as an RMW on the clock has returned it
   */
  boolean hasLeft(long lsn) {
    // Acquire: pairs with the release at the end of a commit, which follows its data stores.
    if (shared != null) {
      long storing = words.getLongAcquire(CommitWords.storing(index));
      return storing == 0 || storing - 1 >= lsn;
    }
    Ring ring = this.ring;
    return ring == null || ring.inflight() >= lsn;
  }

  /** Takes the next LSN, packed with this partition. */
  public long takeLsn() {
    // Volatile: a flusher that reads this value with acquire also sees the announcement.
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
    return raiseTaint(own);
  }

  private long raiseTaint(long dependency) {
    PartitionState shared = this.shared;
    if (shared != null) {
      return shared.raiseTaint(dependency);
    }
    taint = Math.max(taint, dependency);
    return taint;
  }

  /**
   * Starts a record that {@link #put} fills word by word and {@link #publish} publishes: a VOID
   * record, or one of a test or a benchmark. A commit calls {@link #append}. The lease has checked
   * that {@code lengthBytes} are free in the ring.
   */
  public void begin(int kind, int lengthBytes, int count, long lsn, long dep) {
    start(lengthBytes);
    clearPending();
    put(RedoRecordLayout.head(lengthBytes, kind, count));
    put(lsn);
    put(dep);
  }

  private void start(int lengthBytes) {
    cursor = tail;
    recordEnd = tail + lengthBytes;
    checksum = RedoRecordLayout.checksumSeed(logSeed, tail);
  }

  /**
   * Encodes a record as far as that is possible without LSN and dependency, if the lane shares its
   * partition and the record is short. The lane then has the append lock for a shorter time. {@link
   * #append} of the same record follows, or a VOID record, or the return of the lane.
   */
  public void prepare(RecordWriter record) {
    isPrepared = false;
    if (shared != null && record.lengthBytes() <= PENDING_WORDS * Long.BYTES) {
      encode(record, 0, 0);
      isPrepared = true;
    }
  }

  boolean isPrepared() {
    return isPrepared;
  }

  /**
   * Publishes the record of a commit: from here on it survives a kill of the process, and the
   * commit has happened. The lease has checked that the ring has space for it.
   *
   * @param lsn packed
   * @param dep packed, as {@link #dependency} returned it
   * @param point gets the place of the record
   */
  public void append(RecordWriter record, long lsn, long dep, CommitPoint point) {
    start(record.lengthBytes());
    if (isPrepared) {
      isPrepared = false;
      pending[RedoRecordLayout.LSN_OFFSET / Long.BYTES] = lsn;
      pending[RedoRecordLayout.DEP_OFFSET / Long.BYTES] = dep;
    } else {
      encode(record, lsn, dep);
    }
    publish();
    point.record(partition, tail, Lsn.dense(dep));
  }

  /**
   * Publishes a part of a large transaction, and has the record stand at what follows. The log is
   * kept as {@link #nextGroup} says.
   */
  public void appendPart(RecordWriter record) {
    if (record.parts() == 0) {
      record.group(nextGroup());
    }
    start(record.lengthBytes());
    clearPending();
    put(record.partHead());
    put(record.group());
    put(record.parts());
    record.putEntries(this);
    publish();
    record.next();
  }

  private void clearPending() {
    pendingCount = 0;
    isPrepared = false;
  }

  private void encode(RecordWriter record, long lsn, long dep) {
    pendingCount = 0;
    put(record.head());
    put(lsn);
    put(dep);
    record.put(this);
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
    begin(RedoRecordLayout.KIND_VOID, RedoRecordLayout.MIN_LENGTH, 0, lsn, raiseTaint(0));
    publish();
  }

  /**
   * Starts the parts of a large transaction. The log is not trimmed behind the first part until the
   * commit has published in a shared lane ({@link #endAppend}), or the lane is returned.
   *
   * @return a number that this partition has not used in this generation
   */
  public long nextGroup() {
    partsOpen = true;
    // Visible before the first part: a trim that finds the part in a segment finds this word.
    words.setLongRelease(CommitWords.parts(partition), tail + 1);
    PartitionState shared = this.shared;
    return shared != null ? shared.nextGroup() : ++lastGroup;
  }

  /** Ends the commit window: withdraws the announcements and returns the lane. */
  public void finish() {
    Ring ring = this.ring;
    if (shared != null) {
      words.setLongRelease(CommitWords.storing(index), 0);
    } else if (ring != null) {
      ring.withdraw();
    }
    giveBack();
  }

  /** Returns a clearer exception for a memory fault of this ring; any other throwable as it is. */
  Throwable explained(Throwable thrown) {
    return ring == null ? thrown : ring.explained(thrown);
  }
}
