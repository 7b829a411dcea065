package io.howdah.log.commit;

import io.howdah.core.Region;
import io.howdah.core.layout.RecordChecksum;
import io.howdah.core.layout.RedoRecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A place in which one commit at a time runs. Its lease gives the commit the right to append to the
 * ring of a partition, and an announcement that keeps the stable LSN below the commit until its
 * record is published; in a lane that is the only one of its partition, until {@link #finish}.
 * {@link CommitLanes} leases lanes; the committer of a transaction calls the other methods. The
 * owner of the lease does not park between {@link #announce} and {@link #finish}; it waits for ring
 * space only before, while it writes a transaction in parts.
 *
 * <p>The order of a commit is that of docs/protocol.md, R5. In a lane that is the only one of its
 * partition: lease, ring space, orec locks, {@link #announce}, {@link #takeLsn}, validation, {@link
 * #append} or {@link #publishVoid}, stores of the words, release of the orecs, {@link #finish}.
 *
 * <p>Several lanes may share a partition (R33). Then {@link #encodeBeforeLsn} and {@link
 * #tryAppendLock} come between the orec locks and the announcement, and {@link #releaseAppendLock}
 * follows the publication. In between, the commit has the append lock of the partition: no other
 * lane appends to the ring. A second announcement, for checkpoints, stays until {@link #finish}.
 *
 * <p>Any thread may call the methods that say so. All other methods are for the owner of the lease.
 */
public final class Lane {

  /** A multiple of {@link RecordChecksum#LANES}, as a piece that is not the last one must be. */
  private static final int PENDING_WORDS = 128;

  private final Region commitWords;
  private final long leaseOffset;
  private final int index;
  private final int partition;
  private final @Nullable Ring ring;
  private final long logSeed;

  /** State shared by the lanes of the partition; null if this is the only lane. */
  private final @Nullable PartitionState shared;

  /**
   * Memory that outlives the process, with the word of this lane ({@link ApplyingWords}), or null.
   */
  private final @Nullable Region applying;

  private final long applyingAddress;

  // Guarded by the lease: the release store in endLease() pairs with the CAS in tryLease().

  /** The end of the partition's records, in bytes, as this lane read or wrote it last. */
  private long tail;

  /** The dense LSN that this lane took last; 0 before the first. */
  private long lastLsn;

  /** The ring's forced position, as this lane read it last. */
  private long knownForced;

  /** The dependency of the partition's last record, packed; unused in a shared lane. */
  private long taint;

  /** The number of the last group of parts; unused in a shared lane. */
  private long lastGroup;

  /** Whether the log must not be trimmed from the first part of this commit on. */
  private boolean partsOpen;

  /** The position of the next word of the record that is being written. */
  private long cursor;

  private long recordEnd;
  private final RecordChecksum checksum = new RecordChecksum();

  /**
   * Words of the record that are not in the ring yet; most records are copied in one piece. The
   * last element is for the checksum, which {@link #publish} adds.
   */
  private final long[] pending = new long[PENDING_WORDS + 1];

  private int pendingCount;

  /** Whether {@link #pending} has a whole record, except for its LSN and dependency. */
  private boolean isEncoded;

  /** Whether the lane has its partition's append lock, or has started to acquire it. */
  private boolean mayHoldAppendLock;

  /** Creates the only lane of a partition. Its number is the partition's. */
  public Lane(Region commitWords, int partition, @Nullable Ring ring, long logSeed) {
    this(commitWords, partition, ring, logSeed, null);
  }

  /**
   * Creates the only lane of a partition, of a store whose memory outlives the process.
   *
   * @param applying the words of the lanes, or null if the memory ends with the process
   */
  Lane(
      Region commitWords,
      int partition,
      @Nullable Ring ring,
      long logSeed,
      @Nullable ApplyingWords applying) {
    this(commitWords, partition, partition, ring, logSeed, null, applying);
  }

  private Lane(
      Region commitWords,
      int index,
      int partition,
      @Nullable Ring ring,
      long logSeed,
      @Nullable PartitionState shared,
      @Nullable ApplyingWords applying) {
    this.applying = applying == null ? null : applying.memory();
    this.applyingAddress = applying == null ? 0 : applying.address(index);
    this.commitWords = commitWords;
    this.leaseOffset = CommitWords.lease(index);
    this.index = index;
    this.partition = partition;
    this.ring = ring;
    this.logSeed = logSeed;
    this.shared = shared;
  }

  /** Creates lanes that share a partition, with the given numbers. */
  static List<Lane> sharing(
      Region commitWords,
      Ring ring,
      long logSeed,
      @Nullable ApplyingWords applying,
      int... indexes) {
    PartitionState state = new PartitionState(commitWords, ring.partition());
    List<Lane> lanes = new ArrayList<>(indexes.length);
    for (int index : indexes) {
      lanes.add(new Lane(commitWords, index, ring.partition(), ring, logSeed, state, applying));
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

  /** Returns whether other lanes append to the same ring. Any thread. */
  public boolean isShared() {
    return shared != null;
  }

  /** Returns whether commits write redo records; false in a volatile store. */
  public boolean isLogged() {
    return ring != null;
  }

  @Nullable Ring ring() {
    return ring;
  }

  // ---- The lease.

  /**
   * Leases the lane if it is free. Any thread.
   *
   * @param leaseWord not 0; different for each attempt that uses the store's lanes
   */
  public boolean tryLease(long leaseWord) {
    return commitWords.getLongOpaque(leaseOffset) == 0
        && commitWords.compareAndSetLong(leaseOffset, 0, leaseWord);
  }

  /** Returns the word with which the lane is leased, or 0. Any thread. */
  long leaseWord() {
    return commitWords.getLongVolatile(leaseOffset);
  }

  /** Returns whether the lane is leased. Any thread. */
  public boolean isLeased() {
    return commitWords.getLongVolatile(leaseOffset) != 0;
  }

  /**
   * Returns whether the ring has space for a record of this length. For a shared lane without the
   * append lock, the answer is based on the tail that the lane read last, so it is only a hint; the
   * caller checks again after it has acquired the lock.
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

  /**
   * Ends the lease, and releases the append lock if this lane has it. The commit has announced
   * nothing, or has withdrawn its announcements.
   */
  public void endLease() {
    isEncoded = false; // the record of a commit that did not get the append lock
    closeParts();
    if (mayHoldAppendLock) {
      releaseAppendLockIfHeld();
    }
    commitWords.setLongRelease(leaseOffset, 0);
  }

  /** Ends the commit: withdraws the announcements and ends the lease. */
  public void finish() {
    Region applying = this.applying;
    if (applying != null) {
      // A release store, behind the stores of the words and the marks of their pages (R43).
      applying.setLongRelease(applyingAddress, ApplyingWords.IDLE);
    }
    Ring ring = this.ring;
    if (shared != null) {
      commitWords.setLongRelease(CommitWords.storing(index), 0);
    } else if (ring != null) {
      ring.withdraw();
    }
    endLease();
  }

  // ---- The append lock of a shared partition.

  /**
   * Encodes a record except for its LSN and dependency, if the lane shares its partition and the
   * record is short. The lane then has the append lock for a shorter time. {@link #append} of the
   * same record follows, or a VOID record, or the end of the lease.
   *
   * <p>A short record fits in {@code pending}. For a longer one, {@link #put} would move words to
   * the ring, at the cursor of an earlier record and without the append lock.
   */
  public void encodeBeforeLsn(RecordWriter record) {
    isEncoded = false;
    if (shared != null && record.lengthBytes() <= PENDING_WORDS * Long.BYTES) {
      encode(record, 0, 0);
      isEncoded = true;
    }
  }

  boolean isEncoded() {
    return isEncoded;
  }

  /**
   * Acquires the append lock for a shared lane if the lock is free. Until {@link
   * #releaseAppendLock} or {@link #endLease}, the thread waits for nothing except ring space, and
   * for that only if it has no orec locked.
   *
   * @return whether this lane may append; true also if it is the only lane of its partition
   */
  boolean tryAppendLock() {
    PartitionState shared = this.shared;
    if (shared == null) {
      return true;
    }
    mayHoldAppendLock = true; // first, so that a repair after an error releases the lock
    if (!shared.tryLock(appendLockWord())) {
      mayHoldAppendLock = false;
      return false;
    }
    tail = Objects.requireNonNull(ring).tail();
    return true;
  }

  /** Returns whether any lane has the append lock. Any thread. */
  boolean isAppendLocked() {
    PartitionState shared = this.shared;
    return shared != null && shared.isLocked();
  }

  private long appendLockWord() {
    return index + 1L;
  }

  /**
   * Releases the append lock after the publication of the record or of a VOID record; no effect if
   * this is the only lane of its partition. Withdraws the announcement first, since another lane
   * uses its word after the release. From here on the parts of the transaction may be trimmed from
   * the log, although its words are not stored: its LSN is taken, and a checkpoint waits for the
   * commits up to its own LSN ({@link #haveCommitsEnded}) before it copies words (R16, R32).
   */
  public void releaseAppendLock() {
    PartitionState shared = this.shared;
    if (shared != null) {
      closeParts();
      Objects.requireNonNull(ring).withdraw();
      shared.unlock();
      mayHoldAppendLock = false;
    }
  }

  /** Releases the append lock if this lane has it; nothing is published, or an error occurred. */
  void releaseAppendLockIfHeld() {
    PartitionState shared = this.shared;
    if (shared != null && shared.isLockedBy(appendLockWord())) {
      Objects.requireNonNull(ring).withdraw();
      shared.unlock();
    }
    mayHoldAppendLock = false;
  }

  private void requireAppendLock() {
    if (!mayHoldAppendLock) {
      throw new IllegalStateException("lane " + index + " does not have its append lock");
    }
  }

  // ---- Announcement, LSN, dependency.

  /** Announces the commit of a caller that knows no LSN. */
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
   * @param known a dense LSN that a commit has taken; 0 for none
   */
  public void announce(long known) {
    Ring ring = this.ring;
    if (ring != null) {
      long earlier = Math.max(known, lastLsn);
      if (shared != null) {
        requireAppendLock();
        commitWords.setLongRelease(CommitWords.storing(index), earlier + 1);
      }
      ring.announce(earlier);
    }
  }

  /** Takes the next LSN, packed with this partition: advances {@link CommitLanes#clock}. */
  public long takeLsn() {
    // A volatile read-modify-write. It pairs with the acquire load of the clock in
    // Flusher.readCut: a flusher that reads this LSN also sees the announcement before it.
    lastLsn = commitWords.getAndAddLong(CommitWords.CLOCK, 1) + 1;
    Region applying = this.applying;
    if (applying != null) {
      // Before the publication, which is a release store: a commit whose record a recovery finds,
      // and whose words may be missing in memory, is found here as well (R43).
      applying.setLongRelease(applyingAddress, lastLsn);
    }
    return Lsn.pack(lastLsn, partition);
  }

  /** Returns the dense LSN that this lane took last; 0 before the first. */
  long lastLsn() {
    return lastLsn;
  }

  /**
   * Returns the dependency of a commit of this lane (R8), and raises the taint of the partition to
   * it. It includes the dependencies of earlier records of the partition, since recovery replays a
   * record only after them.
   *
   * @param version the largest version of another partition that was read or overwritten and is
   *     above the stable LSN, packed; 0 for none
   */
  public long dependency(long version) {
    PartitionState shared = this.shared;
    if (shared != null) {
      return shared.raiseTaint(version);
    }
    taint = Math.max(taint, version);
    return taint;
  }

  /**
   * Returns whether every commit of this lane with an LSN up to {@code lsn} has ended. If so, the
   * stores of these commits are visible to the caller. Any thread.
   *
   * @param lsn a value that a read-modify-write of the clock has returned
   */
  boolean haveCommitsEnded(long lsn) {
    // Acquire loads. They pair with the release stores in finish(), which follow the commit's
    // stores of its words.
    if (shared != null) {
      long storing = commitWords.getLongAcquire(CommitWords.storing(index));
      return storing == 0 || storing - 1 >= lsn;
    }
    Ring ring = this.ring;
    return ring == null || ring.inflight() >= lsn;
  }

  // ---- Records.

  /**
   * Publishes the record of a commit. After that the record survives a kill of the process, and the
   * commit has happened. The ring must have space, as for {@link #begin}.
   *
   * @param lsn packed
   * @param dep packed, the result of {@link #dependency}
   * @param point receives the position of the record
   */
  public void append(RecordWriter record, long lsn, long dep, CommitPoint point) {
    start(record.lengthBytes());
    if (isEncoded) {
      isEncoded = false;
      pending[RedoRecordLayout.LSN_OFFSET / Long.BYTES] = lsn;
      pending[RedoRecordLayout.DEP_OFFSET / Long.BYTES] = dep;
    } else {
      encode(record, lsn, dep);
    }
    publish();
    point.record(partition, tail, Lsn.dense(dep));
  }

  /** Publishes a VOID record for an LSN that was taken and not used, so that no LSN is missing. */
  public void publishVoid(long lsn) {
    begin(RedoRecordLayout.KIND_VOID, RedoRecordLayout.MIN_LENGTH, 0, lsn, dependency(0));
    publish();
  }

  /**
   * Starts a record that {@link #put} fills word by word and {@link #publish} publishes: a VOID
   * record, or one of a test or a benchmark. A commit calls {@link #append}. The ring must have
   * space for {@code lengthBytes}: {@link CommitLanes#lease} has checked this or, in a shared lane,
   * {@link CommitLanes#spinForAppendLock} or, for a large transaction, {@link
   * CommitLanes#awaitSpace}.
   */
  public void begin(int kind, int lengthBytes, int count, long lsn, long dep) {
    start(lengthBytes);
    clearPending();
    put(RedoRecordLayout.head(lengthBytes, kind, count));
    put(lsn);
    put(dep);
  }

  /** Appends a word to the record. */
  public void put(long word) {
    int count = pendingCount;
    if (count == PENDING_WORDS) {
      checksum.add(pending, pendingCount);
      movePendingToRing(count);
      count = 0;
    }
    pending[count] = word;
    pendingCount = count + 1;
  }

  /** Appends a range of words of an array to the record. */
  public void put(long[] words, int first, int end) {
    for (int from = first; from < end; ) {
      if (pendingCount == PENDING_WORDS) {
        checksum.add(pending, pendingCount);
        movePendingToRing(PENDING_WORDS);
      }
      int few = Math.min(end - from, PENDING_WORDS - pendingCount);
      System.arraycopy(words, from, pending, pendingCount, few);
      pendingCount += few;
      from += few;
    }
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
    checksum.add(pending, pendingCount);
    pending[count - 1] = checksum.value();
    movePendingToRing(count);
    Ring ring = this.ring;
    if (ring != null) {
      ring.publish(recordEnd);
      tail = recordEnd;
    }
  }

  /**
   * Returns the end of the partition's records, as a position in the ring, in bytes; in a shared
   * lane, as of the last time that it had the append lock. The last record is durable if the ring
   * is forced up to here.
   */
  public long position() {
    return tail;
  }

  /**
   * Returns whether a record was published since {@link #position} returned a position. The result
   * is correct also after an exception of {@link #publish}.
   */
  public boolean hasPublishedSince(long position) {
    Ring ring = this.ring;
    return ring != null && ring.tail() != position;
  }

  private void start(int lengthBytes) {
    cursor = tail;
    recordEnd = tail + lengthBytes;
    checksum.start(logSeed, tail);
  }

  private void encode(RecordWriter record, long lsn, long dep) {
    pendingCount = 0;
    put(record.head());
    put(lsn);
    put(dep);
    record.put(this);
  }

  private void clearPending() {
    pendingCount = 0;
    isEncoded = false;
  }

  private void movePendingToRing(int count) {
    Ring ring = this.ring;
    if (ring != null) {
      ring.setWords(cursor, pending, count);
    }
    cursor += (long) count * Long.BYTES;
    pendingCount = 0;
  }

  // ---- Parts of a large transaction.

  /**
   * Publishes a part of a large transaction. Before its first part, keeps the log from being
   * trimmed ({@link #beginParts}).
   *
   * @param record the writer, at a part
   */
  public void appendPart(RecordWriter record) {
    if (record.precedingParts() == 0) {
      record.group(beginParts());
    }
    start(record.lengthBytes());
    clearPending();
    put(record.partHead());
    put(record.group());
    put(record.precedingParts());
    record.putEntries(this);
    publish();
  }

  /**
   * Starts the parts of a large transaction. From the first part on, the log is not trimmed until
   * the commit has published in a shared lane ({@link #releaseAppendLock}), or the lease ends.
   *
   * @return a group number that this partition has not used in this generation
   */
  public long beginParts() {
    partsOpen = true;
    // Stored before the first part is published. Pairs with the acquire load in firstPartPosition,
    // which SegmentHistory.trimPoint calls after it has read the segments: a trim that sees the
    // part in a segment sees this word.
    commitWords.setLongRelease(CommitWords.parts(partition), tail + 1);
    PartitionState shared = this.shared;
    return shared != null ? shared.nextGroup() : ++lastGroup;
  }

  /**
   * Returns the position of the first part of the multipart transaction that a lane of the
   * partition is writing, or {@link Long#MAX_VALUE}. Any thread.
   */
  public long firstPartPosition() {
    long word = commitWords.getLongAcquire(CommitWords.parts(partition));
    return word == 0 ? Long.MAX_VALUE : word - 1;
  }

  private void closeParts() {
    if (partsOpen) {
      partsOpen = false;
      commitWords.setLongRelease(CommitWords.parts(partition), 0);
    }
  }

  // ---- Errors.

  /**
   * Returns a more specific exception for a memory fault of this ring; otherwise {@code thrown}.
   * Any thread.
   */
  Throwable explained(Throwable thrown) {
    return ring == null ? thrown : ring.explained(thrown);
  }
}
