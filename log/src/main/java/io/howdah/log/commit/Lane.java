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

  /** State shared by the lanes of the partition; null if this is the only lane. */
  private final @Nullable PartitionState shared;

  // Guarded by the lease: the release store in giveBack() pairs with the CAS in tryLease().
  private long tail;
  private long lastLsn;
  private long knownForced;
  private long taint;
  private long lastGroup;
  private boolean partsOpen;
  private long cursor;
  private long recordEnd;
  private long checksum;

  /** Words of the record that are not in the ring yet; most records are copied in one piece. */
  private final long[] pending = new long[PENDING_WORDS + 1];

  private int pendingCount;

  /** Whether {@link #pending} has a whole record, except for LSN and dependency. */
  private boolean isPrepared;

  /** Whether the lane holds its partition's append lock, or has started to acquire it. */
  private boolean isAppending;

  /** Creates the only lane of a partition. Its number is the partition's. */
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

  /** Returns the number of the lane, from 0. Orecs that its commit locks contain it. */
  public int index() {
    return index;
  }

  /** Returns the partition, from 0. */
  public int partition() {
    return partition;
  }

  /** Returns whether commits write redo records; false in a volatile store. */
  public boolean isLogged() {
    return ring != null;
  }

  /**
   * Leases the lane if it is free.
   *
   * @param holder not 0; different for each thread that uses the store's lanes
   */
  public boolean tryLease(long holder) {
    return words.getLongOpaque(leaseOffset) == 0 && words.compareAndSetLong(leaseOffset, 0, holder);
  }

  /** Returns the {@code holder} of the lease, or 0. Any thread. */
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
   * Acquires the append lock for a shared lane if the lock is free. Until {@link #endAppend} or
   * {@link #giveBack}, the thread waits for nothing except ring space, and for that only if it has
   * no orec locked.
   */
  boolean tryAppend() {
    PartitionState shared = this.shared;
    if (shared == null) {
      return true;
    }
    isAppending = true; // first, so that a repair after an error releases the lock
    if (!shared.tryLock(holderOfAppendLock())) {
      isAppending = false;
      return false;
    }
    tail = Objects.requireNonNull(ring).tail();
    return true;
  }

  /** Returns whether any lane holds the append lock. Any thread. */
  boolean isAppendLocked() {
    PartitionState shared = this.shared;
    return shared != null && shared.isLocked();
  }

  private long holderOfAppendLock() {
    return index + 1L;
  }

  /**
   * Releases the append lock after the publication of the record or of a VOID record. Withdraws the
   * announcement first, since another lane uses its word after the release. From here on the log
   * may be trimmed behind the parts of the transaction, although its words are not stored: its LSN
   * is taken, and a checkpoint waits for the commits up to its own LSN ({@link #hasLeft}) before it
   * copies words (R16, R32).
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

  /** Releases the append lock if this lane holds it: nothing was published, or after an error. */
  void giveUpAppend() {
    PartitionState shared = this.shared;
    if (shared != null && shared.isLockedBy(holderOfAppendLock())) {
      Objects.requireNonNull(ring).withdraw();
      shared.unlock();
    }
    isAppending = false;
  }

  /**
   * Returns the position of the first part of the multipart transaction that a lane of the
   * partition is writing, or {@link Long#MAX_VALUE}. Any thread.
   */
  public long partsFrom() {
    long word = words.getLongAcquire(CommitWords.parts(partition));
    return word == 0 ? Long.MAX_VALUE : word - 1;
  }

  @Nullable Ring ring() {
    return ring;
  }

  /**
   * Returns whether the ring has space for a record of this length. For a shared lane without the
   * append lock, the answer is based on the tail that the lane read last, so it is only a hint; the
   * lane tests again after it has acquired the lock.
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

  /** Announces the commit, without a known LSN. */
  public void announce() {
    announce(0);
  }

  /**
   * Announces the commit: every LSN that this lane takes later is larger than the announcement.
   * From here until {@link #finish} the thread must not park, and no call may fail for an expected
   * reason.
   *
   * <p>Any earlier value of the clock is correct. A recent value delays the stable LSN least. A
   * load of the clock here, shortly before the read-modify-write, would move its cache line between
   * processors twice. The announcement is therefore the newest value that the caller or the lane
   * knows, which is a few commits old.
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
   * Returns whether every commit of this lane with an LSN up to {@code lsn} has ended. If so, the
   * stores of these commits are visible to the caller. Any thread.
   *
   * @param lsn a value that a read-modify-write of the clock has returned
   */
  boolean hasLeft(long lsn) {
    // Acquire loads. They pair with the release stores in finish(), which follow the data stores of
    // the commit.
    if (shared != null) {
      long storing = words.getLongAcquire(CommitWords.storing(index));
      return storing == 0 || storing - 1 >= lsn;
    }
    Ring ring = this.ring;
    return ring == null || ring.inflight() >= lsn;
  }

  /** Takes the next LSN, packed with this partition. */
  public long takeLsn() {
    // A volatile read-modify-write. It pairs with the acquire load of the clock in
    // Flusher.readCut: a flusher that reads this LSN also sees the announcement before it.
    lastLsn = words.getAndAddLong(CommitWords.CLOCK, 1) + 1;
    return Lsn.pack(lastLsn, partition);
  }

  /** Returns the dense LSN that this lane took last; 0 before the first. */
  long lastLsn() {
    return lastLsn;
  }

  /**
   * Returns the dependency of a commit of this lane (R8). It includes the dependencies of earlier
   * records of the partition, since recovery replays a record only after them.
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
   * that {@code lengthBytes} are free in the ring; in a shared lane, {@link CommitLanes#tryAppend}
   * has.
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
   * Encodes a record except for its LSN and dependency, if the lane shares its partition and the
   * record is short. The lane then holds the append lock for a shorter time. {@link #append} of the
   * same record follows, or a VOID record, or the return of the lane.
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
   * Publishes the record of a commit. After that the record survives a kill of the process, and the
   * commit has happened. The ring has space for it: the lease has checked this or, in a shared
   * lane, {@link CommitLanes#tryAppend}.
   *
   * @param lsn packed
   * @param dep packed, the result of {@link #dependency}
   * @param point receives the position of the record
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
   * Publishes a part of a large transaction, and moves the writer to the next record. The log is
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

  /** Appends a range of words of an array to the record. */
  public void put(long[] words, int first, int end) {
    for (int from = first; from < end; ) {
      if (pendingCount == PENDING_WORDS) {
        fold();
        move(PENDING_WORDS);
      }
      int few = Math.min(end - from, PENDING_WORDS - pendingCount);
      System.arraycopy(words, from, pending, pendingCount, few);
      pendingCount += few;
      from += few;
    }
  }

  /** Adds the pending words to the checksum. */
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
   * Publishes the record. After that it survives a kill of the process, and the commit has
   * happened.
   *
   * @throws IllegalStateException if the words do not fill the length that {@link #begin} was
   *     given; then nothing is published
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
   * Returns whether a record was published since {@link #position} returned a position. The result
   * is correct also after an exception of {@link #publish}.
   */
  public boolean isPublishedBehind(long position) {
    Ring ring = this.ring;
    return ring != null && ring.tail() != position;
  }

  /** Returns the end of the record published last. The record is durable if forced up to here. */
  public long position() {
    return tail;
  }

  /** Publishes a VOID record for an LSN that was taken and not used, so that no LSN is missing. */
  public void publishVoid(long lsn) {
    begin(RedoRecordLayout.KIND_VOID, RedoRecordLayout.MIN_LENGTH, 0, lsn, raiseTaint(0));
    publish();
  }

  /**
   * Starts the parts of a large transaction. From the first part on, the log is not trimmed until
   * the commit has published in a shared lane ({@link #endAppend}), or the lane is returned.
   *
   * @return a group number that this partition has not used in this generation
   */
  public long nextGroup() {
    partsOpen = true;
    // Released before the first part is published. Pairs with the acquire load in partsFrom, which
    // SegmentHistory.trimPoint calls after it has read the segments: a trim that sees the part in a
    // segment sees this word.
    words.setLongRelease(CommitWords.parts(partition), tail + 1);
    PartitionState shared = this.shared;
    return shared != null ? shared.nextGroup() : ++lastGroup;
  }

  /** Ends the commit: withdraws the announcements and returns the lane. */
  public void finish() {
    Ring ring = this.ring;
    if (shared != null) {
      words.setLongRelease(CommitWords.storing(index), 0);
    } else if (ring != null) {
      ring.withdraw();
    }
    giveBack();
  }

  /**
   * Returns a more specific exception for a memory fault of this ring; otherwise {@code thrown}.
   */
  Throwable explained(Throwable thrown) {
    return ring == null ? thrown : ring.explained(thrown);
  }
}
