package io.howdah.txn.stm;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.RecordWriter;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.Guards;
import io.howdah.txn.words.NodeWrites;
import io.howdah.txn.words.OrecLocks;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.ReadSet;
import io.howdah.txn.words.SnapshotHistory;
import io.howdah.txn.words.Words;
import io.howdah.txn.words.WriteSet;
import io.howdah.txn.words.WrittenRows;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Commits attempts: steps 1 to 10 of docs/protocol.md, section 2, whose order (R5) was checked by
 * model checking. {@link TxRunner} calls {@link #commit} after the body has returned.
 *
 * <p>The steps are: lease a lane with room, lock the orecs, announce, take the LSN, validate,
 * publish the redo record, store the words, mark pages dirty, release the orecs with the LSN,
 * return the lane. If several lanes share a partition (R33), the commit has the partition's append
 * lock from before the announcement until after the publication.
 *
 * <p>The commit takes its LSN before the validation. Otherwise the order of LSNs could contradict
 * the reads of transactions. A transaction that fails its validation has used an LSN, for which it
 * publishes a VOID record.
 *
 * <p>Thread-safe.
 */
public final class Committer {

  private static final long CACHE_LINE_BYTES = 64;

  private final Region region;
  private final OrecTable orecs;
  private final SnapshotHistory history;
  private final CommitLanes lanes;
  private final @Nullable DirtyPages dirtyPages;
  private final TxEnvironment engine;
  private final int maxRecordBytes;
  private final boolean logged;
  private final RetryWaits retryWaits;

  /**
   * Creates the committer of a store.
   *
   * @param retryWaits is notified of every commit with writes while a transaction waits there
   */
  public Committer(TxEnvironment engine, RetryWaits retryWaits) {
    this.engine = engine;
    this.retryWaits = retryWaits;
    this.region = engine.region();
    this.orecs = engine.orecs();
    this.history = orecs.history();
    this.lanes = engine.lanes();
    this.dirtyPages = engine.dirtyPages();
    this.maxRecordBytes = engine.maxRecordBytes();
    this.logged = lanes.isLogged();
  }

  /**
   * Commits the transaction of an attempt. After any exception other than a conflict, {@link
   * CommitProgress} has the stage of the commit, and the caller ends it by {@link
   * CommitRepair#repair}. A commit whose orecs {@linkplain CommitProgress#isReleased are released}
   * stays valid after an exception.
   *
   * @param ticket the caller's ticket if it is inside the gate, otherwise 0
   * @throws ConflictException if the transaction has a conflict; it had no effect
   */
  void commit(Attempt attempt, long ticket) {
    if (attempt.words.writes.count() == 0 && attempt.words.nodeWrites.isEmpty()) {
      // All reads show the state at the snapshot, so the commit needs no validation and no record.
      attempt.lsn(attempt.words.newestRead());
      attempt.counters.increment(Counters.READ_ONLY_COMMITS);
      return;
    }
    // Before the locks, since the wait for the replay may be long. Without this wait, the replay
    // would overwrite the words of this commit with their values from before the crash.
    attempt.words.requireWritesReplayed();
    if (!preloadAndAwaitUnlocked(attempt)) {
      throw attempt.conflict(AbortCause.LOCKED);
    }
    NodeWrites nodes = attempt.words.nodeWrites;
    // An upper bound of the number of orecs: words that are written or guarded may share one.
    attempt.locks.clear(
        attempt.words.writes.count() + attempt.words.guards.count() + nodes.count());
    long recordBytes = logged ? attempt.record.selectWhole() : 0; // the writer is at this record
    if (recordBytes <= maxRecordBytes) {
      commitInOneRecord(attempt, (int) recordBytes, ticket);
    } else if (attempt.mustNotWait()) {
      throw attempt.conflict(AbortCause.LOCKED);
    } else {
      attempt.words.writes.splitRows();
      commitInParts(attempt, ticket);
    }
  }

  /**
   * Commits a transaction whose words fit in one record: steps 1 and 3 of docs/protocol.md, section
   * 2, then {@link #commitLocked}. In a shared partition it repeats lease and locks until it gets
   * the append lock.
   */
  private void commitInOneRecord(Attempt attempt, int recordBytes, long ticket) {
    CommitProgress progress = attempt.progress;
    for (boolean isRetry = false; ; isRetry = true) {
      progress.begin();
      Lane lane = leaseForRecord(attempt, recordBytes, ticket, isRetry);
      if (lane == null) {
        progress.end();
        throw attempt.conflict(AbortCause.LOCKED);
      }
      progress.stage = CommitProgress.LEASED;
      // After the lease: a stop of the store waits for leased lanes, or is seen here.
      engine.lifecycle().failIfStopped();
      lockAll(attempt, lane);
      if (logged) {
        findDependency(attempt, lane);
      }
      if (!lane.isShared()) {
        commitLocked(attempt, lane);
        return;
      }
      if (logged) {
        lane.encodeBeforeLsn(attempt.record);
      }
      if (lanes.spinForAppendLock(lane, recordBytes)) {
        commitLocked(attempt, lane);
        return;
      }
      // No commit waits with orecs locked, since other commits would wait for those orecs (R33).
      unlockAndEndLease(attempt, lane);
      if (attempt.mustNotWait()) {
        throw attempt.conflict(AbortCause.LOCKED);
      }
    }
  }

  /**
   * Leases a lane with room for a record.
   *
   * @param isRetry whether the commit has failed to get the append lock before
   * @return null if the attempt must not wait and there is no such lane
   */
  private @Nullable Lane leaseForRecord(
      Attempt attempt, int recordBytes, long ticket, boolean isRetry) {
    if (attempt.mustNotWait()) {
      return lanes.leaseAtOnce(attempt.id, recordBytes);
    }
    return isRetry
        ? lanes.leaseWithFreeAppendLock(attempt.id, recordBytes, ticket, attempt.deadline())
        : lanes.lease(attempt.id, recordBytes, ticket, attempt.deadline());
  }

  /**
   * Commits a transaction whose words do not fit in one record: steps 1 to 3 of docs/protocol.md,
   * section 2, then {@link #commitLocked}. It appends the words in parts before it locks an orec,
   * since each part may have to wait for space. The commit's own record has the last words and
   * refers to the parts, which have no effect until that record is published.
   */
  private void commitInParts(Attempt attempt, long ticket) {
    attempt.willWriteParts();
    RecordWriter record = attempt.record;
    record.split(maxRecordBytes); // the writer is at the first part
    Lane lane = leaseForParts(attempt, record.lengthBytes(), ticket);
    for (; record.isAtPart(); record.moveToNext()) {
      // From the first part on, this transaction keeps the log from being trimmed.
      lanes.awaitSpace(lane, record.lengthBytes(), attempt.deadline());
      lane.appendPart(record);
    }
    // The writer is at the record that commits.
    lanes.awaitSpace(lane, record.lengthBytes(), attempt.deadline());
    lockAll(attempt, lane);
    findDependency(attempt, lane); // without a test of `logged`: only logged commits have parts
    commitLocked(attempt, lane);
    attempt.counters.increment(Counters.MULTIPART_COMMITS);
  }

  /**
   * Leases a lane and acquires the append lock of its partition, so that the parts of a large
   * transaction are consecutive. It waits for the append lock without a lane, because another large
   * transaction may keep the lock for a long time, and lanes are few.
   */
  private Lane leaseForParts(Attempt attempt, long firstBytes, long ticket) {
    CommitProgress progress = attempt.progress;
    while (true) {
      progress.begin();
      Lane lane = lanes.leaseWithFreeAppendLock(attempt.id, firstBytes, ticket, attempt.deadline());
      progress.stage = CommitProgress.LEASED;
      engine.lifecycle().failIfStopped();
      // 0 bytes: only the append lock is needed. Until its release, no other commit uses the space.
      if (lanes.spinForAppendLock(lane, 0)) {
        return lane;
      }
      unlockAndEndLease(attempt, lane);
    }
  }

  /**
   * Locks the orec of every word that is written or guarded, and of every node that is written. If
   * another commit has locked one, or the reads are not current, unlocks all orecs, ends the lease
   * of the lane and throws the conflict.
   */
  private void lockAll(Attempt attempt, Lane lane) {
    OrecLocks locks = attempt.locks;
    int index = lane.index();
    long newest = locks.lockAll(attempt.words.writes, attempt.words.guards, index);
    NodeWrites nodes = attempt.words.nodeWrites;
    if (newest != OrecLocks.LOCKED_BY_OTHER && !nodes.isEmpty()) {
      long newestNode = locks.lockNodes(nodes, index);
      newest = newestNode == OrecLocks.LOCKED_BY_OTHER ? newestNode : Math.max(newest, newestNode);
    }
    AbortCause cause = null;
    if (newest == OrecLocks.LOCKED_BY_OTHER) {
      cause = AbortCause.LOCKED;
    } else if (newest > attempt.words.snapshotLimit()
        && !locks.areCurrent(attempt.words.reads, index)) {
      // Both sides of the comparison above are raw words of unlocked orecs, not LSNs. A newer
      // version is a conflict only if the transaction has read the word, which is the usual case.
      // Validation before the LSN is taken then avoids a VOID record.
      cause = AbortCause.VALIDATION;
    }
    if (cause != null) {
      unlockAndEndLease(attempt, lane);
      throw attempt.conflict(cause);
    }
  }

  /**
   * Unlocks the orecs and ends the lease of the lane, before an LSN is taken. The end of the lease
   * also releases the append lock, if the lane has it.
   */
  private void unlockAndEndLease(Attempt attempt, Lane lane) {
    attempt.locks.restore();
    lane.endLease();
    attempt.progress.end();
  }

  /**
   * Determines the version for the dependency (R8), after all orecs are locked: the largest version
   * of another partition than the lane's that was read or overwritten and is not stable by now.
   */
  private void findDependency(Attempt attempt, Lane lane) {
    long stable = Lsn.ceiling(lanes.stable());
    int partition = lane.partition();
    ReadSet reads = attempt.words.reads;
    OrecLocks locks = attempt.locks;
    long largest = 0;
    int readCount = reads.count();
    for (int i = 0, n = readCount + locks.count(); i < n; i++) {
      long orec = i < readCount ? reads.seen(i) : locks.former(i - readCount);
      long version = OrecTable.version(orec);
      if (version > largest && version > stable && Lsn.partition(version) != partition) {
        largest = version;
      }
    }
    attempt.unstableElsewhere = largest;
  }

  /**
   * The critical part of a commit: steps 4 to 10 of docs/protocol.md, section 2, from the
   * announcement to the end of the lease. An error must not interrupt it; see {@link CommitRepair}.
   *
   * <p>HotSpot does not inline this method, since it has more than 325 bytes of bytecode. Inlined
   * into its callers, it would exceed the compiler's budget, and calls would remain in the loop
   * over the words. {@code howdah bench inlining} reports such calls.
   */
  private void commitLocked(Attempt attempt, Lane lane) {
    CommitProgress progress = attempt.progress;
    lane.announce(attempt.words.snapshot());
    progress.position = lane.position();
    progress.stage = CommitProgress.TAKING_LSN;
    long lsn = lane.takeLsn();
    progress.lsn = lsn;
    progress.stage = CommitProgress.LSN_TAKEN;
    // If this LSN is the snapshot's successor, there is no commit between the two.
    if (Lsn.dense(lsn) != attempt.words.snapshot() + 1
        && !attempt.locks.areCurrent(attempt.words.reads, lane.index())) {
      endWithVoid(attempt, lane, lsn);
      throw attempt.conflict(AbortCause.VALIDATION);
    }
    if (logged) {
      long dep = lane.dependency(attempt.unstableElsewhere);
      lane.append(attempt.record, lsn, dep, attempt.point);
    }
    progress.stage = CommitProgress.PUBLISHED;
    lane.releaseAppendLock();
    // After the LSN: pairs with SnapshotHistory.open, which writes `open` before it reads the
    // clock, so a commit with an LSN above the snapshot's sees here that the snapshot is open.
    if (history.isOpen()) {
      history.record(attempt.words.writes, attempt.words.nodeWrites, region, Lsn.dense(lsn));
    }
    // The fetch-and-add and the publication do not order later stores. This fence orders the orec
    // locks and the fetch-and-add before the stores of the words. It pairs with the acquire fence
    // in Words.getUnchecked, and with the checkpoint's load of the clock: a checkpoint that copies
    // one of these words must read an LSN from the clock that is at least as large (R13).
    VarHandle.storeStoreFence();
    attempt.words.writes.storeTo(region);
    attempt.words.nodeWrites.storeTo(region);
    DirtyPages dirtyPages = this.dirtyPages;
    if (dirtyPages != null) {
      markDirty(dirtyPages, attempt.words.writes, attempt.words.nodeWrites);
    }
    attempt.locks.release(lsn);
    attempt.lsn(Lsn.dense(lsn));
    progress.isReleased = true;
    lane.finish();
    progress.end();
    // The rest only serves other transactions. If it fails, the commit stays valid.
    attempt.counters.increment(Counters.COMMITS);
    if (logged && attempt.unstableElsewhere != 0) {
      attempt.counters.increment(Counters.DEPENDENT_COMMITS);
    }
    try {
      attempt.words.heap.committed();
    } finally {
      if (retryWaits.hasWaiters()) {
        retryWaits.changed(attempt.locks);
      }
    }
  }

  /** Ends a commit that is not valid: publishes a VOID record, unlocks and returns the lane. */
  private void endWithVoid(Attempt attempt, Lane lane, long lsn) {
    lane.publishVoid(lsn);
    attempt.progress.stage = CommitProgress.VOIDED;
    lane.releaseAppendLock();
    attempt.locks.restore();
    lane.finish();
    attempt.progress.end();
    attempt.counters.increment(Counters.VOIDS);
  }

  private static void markDirty(DirtyPages dirtyPages, WriteSet writes, NodeWrites nodes) {
    long map = dirtyPages.currentMap();
    long former = -1;
    for (int i = 0, n = writes.singles(); i < n; i++) {
      long page = dirtyPages.pageOf(writes.address(i));
      if (page != former) {
        former = page;
        dirtyPages.markIn(map, page);
      }
    }
    WrittenRows rows = writes.rows();
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      long last = dirtyPages.pageOf(rows.endAddress(row) - Long.BYTES);
      for (long page = dirtyPages.pageOf(rows.address(row)); page <= last; page++) {
        dirtyPages.markIn(map, page);
      }
    }
    for (int row = 0; row < nodes.end(); row = nodes.next(row)) {
      long last = dirtyPages.pageOf(nodes.rowEndAddress(row) - Long.BYTES);
      for (long page = dirtyPages.pageOf(nodes.rowAddress(row)); page <= last; page++) {
        if (page != former) {
          former = page;
          dirtyPages.markIn(map, page);
        }
      }
    }
  }

  // ---- Before the lease: cache misses.

  /**
   * Loads all orecs and words that the commit will write, so that their cache misses overlap, and
   * spins while one of the orecs is locked, up to the attempt's limit of spins. It comes before
   * step 1.
   *
   * <p>Without the loads, each compare-and-set of an orec would wait for its own cache miss. And a
   * page that cannot be had is met here, where the commit can still be refused (R6a). So no stripe
   * that is written is left out.
   *
   * <p>At most 325 bytes of bytecode, so that it is inlined: {@code InliningWallsTest}.
   *
   * @return false if one of the orecs stays locked by another commit: a conflict
   */
  private boolean preloadAndAwaitUnlocked(Attempt attempt) {
    Words words = attempt.words;
    WriteSet writes = words.writes;
    int spins = words.spinLimit();
    long touched = 0;
    long stripe = -1;
    if (!writes.rows().isEmpty()) {
      spins = preloadRows(words, spins);
    }
    if (spins < 0) {
      return false;
    }
    for (int i = 0, n = writes.singles(); i < n; i++) {
      long address = writes.address(i);
      if (OrecTable.stripe(address) == stripe) {
        continue; // the same orec
      }
      stripe = OrecTable.stripe(address);
      touched ^= region.getLongOpaque(address);
      spins = awaitUnlocked(address, spins);
      if (spins < 0) {
        return false;
      }
    }
    spins = awaitGuards(words.guards, spins);
    NodeWrites nodes = words.nodeWrites;
    if (spins >= 0 && !nodes.isEmpty()) {
      touched ^= touchNodes(nodes);
      spins = awaitUnlocked(nodes, spins);
    }
    words.keepLoads(touched);
    return spins >= 0;
  }

  /** Does the same for rows; returns the number of remaining spins, or a negative number. */
  private int preloadRows(Words words, int spins) {
    int left = spins;
    long touched = 0;
    WrittenRows rows = words.writes.rows();
    int guarded = 0;
    for (int row = 0; row < rows.end() && left >= 0; row = rows.next(row)) {
      long end = rows.endAddress(row);
      boolean isGuarded = rows.isGuarded(row, guarded);
      guarded += isGuarded ? 1 : 0;
      for (long a = rows.address(row); a < end && left >= 0; ) {
        long groupEnd = OrecTable.groupEnd(a, end);
        touched ^= touchWords(a, groupEnd);
        if (!isGuarded && areAnyLocked(a, groupEnd)) {
          left = awaitUnlocked(a, groupEnd, left);
        }
        a = groupEnd;
      }
    }
    words.keepLoads(touched);
    return left;
  }

  private int awaitGuards(Guards guards, int spins) {
    int left = spins;
    for (int i = 0, n = guards.count(); i < n && left >= 0; i++) {
      left = awaitUnlocked(guards.address(i), left);
    }
    return left;
  }

  /** Loads a word of each cache line that the rows of nodes have. */
  private long touchNodes(NodeWrites nodes) {
    long touched = 0;
    for (int row = 0; row < nodes.end(); row = nodes.next(row)) {
      touched ^= touchWords(nodes.rowAddress(row), nodes.rowEndAddress(row));
    }
    return touched;
  }

  private int awaitUnlocked(NodeWrites nodes, int spins) {
    int left = spins;
    for (int i = 0, n = nodes.count(); i < n && left >= 0; i++) {
      left = awaitOrec(orecs.ofNode(nodes.address(i)), left);
    }
    return left;
  }

  /** Loads a word of each cache line of a range. */
  private long touchWords(long from, long end) {
    long touched = 0;
    for (long a = from & -CACHE_LINE_BYTES; a < end; a += CACHE_LINE_BYTES) {
      touched ^= region.getLongOpaque(a);
    }
    return touched;
  }

  /** Returns whether any orec of a range within a stripe group is locked. */
  private boolean areAnyLocked(long from, long end) {
    long[] array = orecs.array();
    long first = orecs.of(from);
    boolean locked = false;
    for (int i = 0, n = OrecTable.stripes(from, end); i < n; i++) {
      locked |= OrecTable.isLocked(orecs.getOpaque(array, first + i));
    }
    return locked;
  }

  private int awaitUnlocked(long from, long end, int spins) {
    int left = spins;
    for (long a = from & -OrecTable.STRIPE_BYTES; a < end && left >= 0; ) {
      left = awaitUnlocked(a, left);
      a += OrecTable.STRIPE_BYTES;
    }
    return left;
  }

  /** Spins while an orec is locked; returns the number of remaining spins, or -1. */
  private int awaitUnlocked(long address, int spins) {
    return awaitOrec(orecs.of(address), spins);
  }

  private int awaitOrec(long orec, int spins) {
    int left = spins;
    while (left >= 0 && OrecTable.isLocked(orecs.getOpaque(orec))) {
      left--;
      engine.execution().spinWait();
    }
    return left;
  }
}
