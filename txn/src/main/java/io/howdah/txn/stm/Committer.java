package io.howdah.txn.stm;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.AbortCause;
import io.howdah.txn.DependentCommitException;
import io.howdah.txn.PartitionCommits;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The commit of a transaction, in the order that model checking left standing (docs/protocol.md,
 * R5): lease a lane with room, lock the orecs, announce, take the LSN, validate, publish the redo
 * record, store, mark pages dirty, release the orecs with the LSN, return the lane.
 *
 * <p>The LSN comes before validation, or LSN order could contradict what transactions have read. So
 * one that fails its validation has used up an LSN, which a VOID record fills.
 *
 * <p>Thread-safe.
 */
public final class Committer {

  private static final long REFUSED = -1;

  private final Region region;
  private final OrecTable orecs;
  private final SnapshotHistory history;
  private final CommitLanes lanes;
  private final @Nullable DirtyPages dirtyPages;
  private final Engine engine;
  private final int maxRecordBytes;
  private final boolean logged;
  private final boolean unchecked;
  private final boolean refusing;
  private final RetryWaits retryWaits;
  private final Consumer<Throwable> fatal;
  private final PageFaults pageFaults;

  /**
   * Creates the one of a store.
   *
   * @param retryWaits told of every commit that changes something, if anybody waits
   * @param fatal stops the store when a commit breaks off where it must not
   */
  public Committer(Engine engine, RetryWaits retryWaits, Consumer<Throwable> fatal) {
    this.engine = engine;
    this.retryWaits = retryWaits;
    this.region = engine.region();
    this.orecs = engine.orecs();
    this.history = orecs.history();
    this.lanes = engine.lanes();
    this.dirtyPages = engine.dirtyPages();
    this.maxRecordBytes = engine.maxRecordBytes();
    this.logged = lanes.lane(0).isLogged();
    this.unchecked = engine.partitionCommits() != PartitionCommits.CHECKED;
    this.refusing = engine.partitionCommits() == PartitionCommits.UNCHECKED_REFUSING;
    this.fatal = fatal;
    this.pageFaults = new PageFaults(region, fatal);
  }

  /** Returns what tells of pages that cannot be had. */
  PageFaults pageFaults() {
    return pageFaults;
  }

  /**
   * Commits what a context holds.
   *
   * @param ticket lets the caller commit while the gate is closed; else 0
   *     <p>Whatever is thrown leaves the commit as {@link TxContext#progress} says: {@link #repair}
   *     ends it, and if it {@linkplain CommitProgress#isCommitted has happened} the exception means
   *     nothing.
   * @return whether it did; if not, the context says why and nothing has happened
   */
  boolean commit(TxContext context, long ticket) {
    if (context.writes.count() == 0) {
      // All reads show the state at the snapshot: there is nothing to check and nothing to tell.
      context.lsn(context.newestRead());
      context.end();
      context.counters.increment(Counters.READ_ONLY_COMMITS);
      return true;
    }
    // A word that is replayed after it was written would be what it had been before the crash. And
    // not in the lock window, which is short.
    context.requireWritesReplayed();
    if (!warmUp(context)) {
      context.conflict(AbortCause.LOCKED);
      return false;
    }
    context.locks.clear(context.writes.count() + context.guards.count());
    long recordBytes = logged ? RedoRecords.lengthBytes(context.writes) : 0;
    if (recordBytes <= maxRecordBytes) {
      return commitWhole(context, (int) recordBytes, ticket);
    }
    if (context.mustNotWait()) {
      context.conflict(AbortCause.LOCKED);
      return false;
    }
    return commitInParts(context, ticket);
  }

  /**
   * Loads all orecs and words that will be written, so that their cache misses overlap: each CAS on
   * an orec would wait for its own.
   *
   * @return false if one is locked by another commit that does not end soon
   */
  private boolean warmUp(TxContext context) {
    WriteSet writes = context.writes;
    Guards guards = context.guards;
    int patience = context.spinLimit();
    long touched = 0;
    long stripe = -1;
    for (int i = 0, n = writes.count(); i < n; i++) {
      long address = writes.address(i);
      if (OrecTable.stripe(address) == stripe) {
        continue; // and the same cache line
      }
      stripe = OrecTable.stripe(address);
      touched ^= region.getLongOpaque(address);
      patience = awaitUnlocked(address, patience);
      if (patience < 0) {
        return false;
      }
    }
    for (int i = 0, n = guards.count(); i < n && patience >= 0; i++) {
      patience = awaitUnlocked(guards.address(i), patience);
    }
    context.touched(touched);
    return patience >= 0;
  }

  /** Waits while an orec is locked; returns the patience that is left, negative for none. */
  private int awaitUnlocked(long address, int patience) {
    long orec = orecs.of(address);
    int left = patience;
    while (left >= 0 && OrecTable.isLocked(orecs.getOpaque(orec))) {
      left--;
      engine.execution().spinWait();
    }
    return left;
  }

  private boolean commitWhole(TxContext context, int recordBytes, long ticket) {
    CommitProgress progress = context.progress;
    progress.begin();
    Lane lane =
        context.mustNotWait()
            ? lanes.leaseAtOnce(context.id, recordBytes)
            : lanes.lease(context.id, recordBytes, ticket, context.deadline());
    if (lane == null) {
      progress.end();
      context.conflict(AbortCause.LOCKED);
      return false;
    }
    progress.stage = CommitProgress.LOCKING;
    engine.lifecycle().failIfStopped();
    if (!lockAll(context, lane)) {
      giveUp(context, lane);
      return false;
    }
    return commitLocked(context, lane, 0, recordBytes, 0, 0);
  }

  /**
   * Commits a transaction whose record would be too long for the ring: its words go ahead in parts,
   * before any orec is locked, since handing them over may take a wait for space. The record that
   * commits names them; until it is published they mean nothing.
   */
  private boolean commitInParts(TxContext context, long ticket) {
    context.willWriteParts();
    WriteSet writes = context.writes;
    int partBytes = maxRecordBytes - RedoRecordLayout.PARTED_PREFIX_BYTES;
    int count = writes.count();
    int from = 0;
    int to = RedoRecords.endOfPart(writes, from, partBytes);
    CommitProgress progress = context.progress;
    progress.begin();
    long firstBytes = RedoRecords.lengthBytes(writes, from, to);
    Lane lane = lanes.lease(context.id, firstBytes, ticket, context.deadline());
    progress.stage = CommitProgress.LOCKING;
    engine.lifecycle().failIfStopped();
    long group = lane.nextGroup();
    int parts = 0;
    while (to < count) {
      int bytes = RedoRecords.lengthBytes(writes, from, to);
      lanes.awaitSpace(lane, bytes, context.deadline());
      int runs = RedoRecords.runs(writes, from, to);
      lane.begin(RedoRecordLayout.KIND_PART, bytes, runs, group, parts);
      RedoRecords.put(lane, writes, from, to);
      lane.publish();
      parts++;
      from = to;
      to = RedoRecords.endOfPart(writes, from, partBytes);
    }
    int lastBytes =
        RedoRecords.lengthBytes(writes, from, to) + RedoRecordLayout.PARTED_PREFIX_BYTES;
    lanes.awaitSpace(lane, lastBytes, context.deadline());
    if (!lockAll(context, lane)) {
      giveUp(context, lane);
      return false;
    }
    if (commitLocked(context, lane, from, lastBytes, group, parts)) {
      context.counters.increment(Counters.PARTED_COMMITS);
      return true;
    }
    return false;
  }

  /**
   * Locks the orec of every word to be written or guarded; false as soon as another commit stands
   * against it.
   */
  private boolean lockAll(TxContext context, Lane lane) {
    WriteSet writes = context.writes;
    Guards guards = context.guards;
    long stripe = -1;
    boolean overtaken = false;
    for (int i = 0, n = writes.count(); i < n; i++) {
      long address = writes.address(i);
      if (OrecTable.stripe(address) == stripe) {
        continue; // words are mostly written in rows
      }
      stripe = OrecTable.stripe(address);
      long former = lock(context, lane, address);
      if (former == REFUSED) {
        return false;
      }
      overtaken |= former > context.snapshotLimit();
    }
    for (int i = 0, n = guards.count(); i < n; i++) {
      long former = lock(context, lane, guards.address(i));
      if (former == REFUSED) {
        return false;
      }
      overtaken |= former > context.snapshotLimit();
    }
    // A newer version is no conflict in itself, the word may not have been read. But most often it
    // was, and looking now spares the log a VOID record.
    if (overtaken && !areReadsCurrent(context, lane)) {
      context.conflict(AbortCause.VALIDATION);
      return false;
    }
    return true;
  }

  /**
   * Locks the orec of an address.
   *
   * @return what it held; 0 if this commit has locked it already; {@link #REFUSED} if another one
   *     has
   */
  private long lock(TxContext context, Lane lane, long address) {
    LockList locks = context.locks;
    int partition = lane.partition();
    long orec = orecs.of(address);
    long word = orecs.getOpaque(orec);
    if (OrecTable.isLocked(word)) {
      if (OrecTable.isLockedBy(word, partition)) {
        return 0; // shares its orec with a word before it
      }
      context.conflict(AbortCause.LOCKED);
      return REFUSED;
    }
    locks.prepare(orec, word);
    if (!orecs.compareAndSet(orec, word, OrecTable.locked(locks.count(), partition))) {
      context.conflict(AbortCause.LOCKED);
      return REFUSED;
    }
    locks.confirm();
    return word;
  }

  /** Undoes the locks and returns the lane, with nothing announced. */
  private void giveUp(TxContext context, Lane lane) {
    restoreOrecs(context.locks);
    lanes.giveBack(lane);
    context.progress.end();
  }

  private void restoreOrecs(LockList locks) {
    for (int i = 0, n = locks.count(); i < n; i++) {
      orecs.setRelease(locks.orec(i), locks.former(i));
    }
  }

  /** The part of a commit that must not be left halfway; see {@link #repair}. */
  private boolean commitLocked(
      TxContext context, Lane lane, int from, int recordBytes, long group, int parts) {
    CommitProgress progress = context.progress;
    lane.announce(context.snapshot());
    progress.position = lane.position();
    progress.stage = CommitProgress.TAKING;
    long lsn = lane.takeLsn();
    progress.lsn = lsn;
    progress.stage = CommitProgress.TAKEN;
    // Every later commit has a higher LSN than the snapshot; if mine is the next, there was none.
    if (Lsn.dense(lsn) != context.snapshot() + 1 && !areReadsCurrent(context, lane)) {
      leaveVoid(context, lane, lsn);
      context.conflict(AbortCause.VALIDATION);
      return false;
    }
    if (logged) {
      long dep = dependency(context, lane);
      if (refusing && context.isPartition() && dependsOnOthers(context, dep)) {
        leaveVoid(context, lane, lsn);
        context.refuse(new DependentCommitException(Lsn.dense(dep)));
        return false;
      }
      writeRecord(context, lane, lsn, dep, from, recordBytes, group, parts);
    }
    progress.stage = CommitProgress.PUBLISHED;
    if (history.isOpen()) {
      history.record(context.writes, region, Lsn.dense(lsn));
    }
    store(context.writes);
    release(context.locks, lsn);
    context.lsn(Lsn.dense(lsn));
    progress.isCommitted = true;
    lane.finish();
    progress.end();
    // What follows helps others, or later transactions. If it fails the outcome stands.
    context.counters.increment(Counters.COMMITS);
    try {
      context.heap.committed();
    } finally {
      if (retryWaits.isAnyone()) {
        retryWaits.changed(context.locks);
      }
    }
    context.end();
    return true;
  }

  /** Fills the LSN that is taken with a VOID record, and gives everything back. */
  private void leaveVoid(TxContext context, Lane lane, long lsn) {
    lane.publishVoid(lsn);
    context.progress.stage = CommitProgress.VOIDED;
    restoreOrecs(context.locks);
    lane.finish();
    context.progress.end();
    context.counters.increment(Counters.VOIDS);
  }

  /** Validates, comparing an orec locked by this commit by what it held before (R4). */
  private boolean areReadsCurrent(TxContext context, Lane lane) {
    ReadSet reads = context.reads;
    int partition = lane.partition();
    for (int i = 0, n = reads.count(); i < n; i++) {
      long seen = reads.seen(i);
      // Acquire suffices: the F&A of any commit with a lower LSN precedes ours on the clock word,
      // and
      // its locks precede its F&A, so they are visible here.
      long word = orecs.getAcquire(reads.orec(i));
      if (word != seen
          && !(OrecTable.isLockedBy(word, partition)
              && context.locks.former(OrecTable.lockIndex(word)) == seen)) {
        return false;
      }
    }
    return true;
  }

  private void writeRecord(
      TxContext context,
      Lane lane,
      long lsn,
      long dep,
      int from,
      int recordBytes,
      long group,
      int parts) {
    WriteSet writes = context.writes;
    int to = writes.count();
    int runs = RedoRecords.runs(recordBytes, parts, to - from);
    int flags = unchecked && context.isPartition() ? RedoRecordLayout.FLAG_UNCHECKED : 0;
    if (parts == 0) {
      lane.begin(RedoRecordLayout.KIND_COMMIT | flags, recordBytes, runs, lsn, dep);
    } else {
      lane.begin(RedoRecordLayout.KIND_PARTED_COMMIT | flags, recordBytes, runs, lsn, dep);
      lane.put(group);
      lane.put(parts);
    }
    RedoRecords.put(lane, writes, from, to);
    lane.publish();
    context.record(lane.partition(), lane.position(), Lsn.dense(dep));
  }

  /**
   * Folds the versions read and overwritten into a dependency (R8): the largest, and the largest of
   * another partition than that one's, since only now is it known which partition this commit has.
   * What is stable by now needs no mention.
   */
  private long dependency(TxContext context, Lane lane) {
    long stable = Lsn.ceiling(lanes.stable());
    ReadSet reads = context.reads;
    LockList locks = context.locks;
    long largest = 0;
    long other = 0;
    int readCount = reads.count();
    for (int i = 0, n = readCount + locks.count(); i < n; i++) {
      long orec = i < readCount ? reads.seen(i) : locks.former(i - readCount);
      long version = OrecTable.version(orec);
      if (version <= stable) {
        continue;
      }
      boolean samePartition = Lsn.partition(version) == Lsn.partition(largest);
      if (version > largest) {
        other = samePartition ? other : largest;
        largest = version;
      } else if (!samePartition) {
        other = Math.max(other, version);
      }
    }
    context.dependsOnUnstable = largest != 0;
    if (largest != 0 && (other != 0 || Lsn.partition(largest) != lane.partition())) {
      context.counters.increment(Counters.DEPENDENT_COMMITS);
    }
    return lane.dependency(largest, other);
  }

  /**
   * Returns whether a commit that its user calls independent has met a version that is not stable,
   * and may rest on another partition: directly, or through what stands before it in its own.
   */
  private boolean dependsOnOthers(TxContext context, long dep) {
    return context.dependsOnUnstable && Lsn.dense(dep) > lanes.stable();
  }

  private void store(WriteSet writes) {
    // Neither the F&A nor the publication before holds back later stores: a checkpoint that copies
    // one of these words must find an LSN at least as large on the clock (R13).
    VarHandle.storeStoreFence();
    for (int i = 0, n = writes.count(); i < n; i++) {
      region.setLongOpaque(writes.address(i), writes.value(i));
    }
    DirtyPages dirtyPages = this.dirtyPages;
    if (dirtyPages != null) {
      long map = dirtyPages.currentMap();
      long former = -1;
      for (int i = 0, n = writes.count(); i < n; i++) {
        long page = dirtyPages.pageOf(writes.address(i));
        if (page != former) {
          former = page;
          dirtyPages.markIn(map, page);
        }
      }
    }
  }

  private void release(LockList locks, long lsn) {
    long orec = OrecTable.unlocked(lsn);
    for (int i = 0, n = locks.count(); i < n; i++) {
      // Pairs with the acquire load of a read that meets this version.
      orecs.setRelease(locks.orec(i), orec);
    }
  }

  /**
   * Ends a commit that something was thrown into (R6). Before the LSN was asked for, all can be
   * undone. With the LSN taken and nothing published, a VOID record fills its place. Elsewhere
   * there is no safe way on or back: the store stops with the orecs locked and the lane announced,
   * so nobody sees half a commit, and recovery decides.
   *
   * <p>Called from a frame above the commit's, once those have gone: at the end of the stack this
   * one has the room that they had.
   *
   * @throws StoreFailedException if the store had to stop
   */
  void repair(TxContext context, Throwable thrown) {
    CommitProgress progress = context.progress;
    Lane lane = lanes.leasedBy(context.id);
    try {
      if (lane == null || undo(context, lane)) {
        progress.end();
        return;
      }
    } catch (Throwable again) {
      if (!again.equals(thrown)) {
        thrown.addSuppressed(again);
      }
    }
    throw stop(progress, lane, thrown);
  }

  /** Returns whether the commit is undone, and the lane returned. */
  private boolean undo(TxContext context, Lane lane) {
    int stage = context.progress.stage;
    if (stage == CommitProgress.TAKING || stage >= CommitProgress.PUBLISHED) {
      return false;
    }
    if (stage == CommitProgress.TAKEN) {
      if (lane.isPublishedBehind(context.progress.position)) {
        return false;
      }
      lane.publishVoid(context.progress.lsn);
      context.progress.stage = CommitProgress.VOIDED;
      context.counters.increment(Counters.VOIDS);
    }
    LockList locks = context.locks;
    int prepared = locks.isPrepared() ? 1 : 0; // it may have been locked without being counted
    for (int i = 0, n = locks.count() + prepared; i < n; i++) {
      // Those restored already may be locked by others by now. Only this commit locks them for the
      // lane, which it holds.
      if (orecs.getOpaque(locks.orec(i)) == OrecTable.locked(i, lane.partition())) {
        orecs.setRelease(locks.orec(i), locks.former(i));
      }
    }
    lane.finish();
    return true;
  }

  /**
   * Stops the store if what was thrown behind the commit point is a fault of memory. The JVM
   * delivers a fault late, so it may be of one of the commit's own stores: then memory has kept an
   * old word under the new version, or the ring holds a damaged record. Throws nothing.
   */
  void stopAfterFault(Throwable thrown) {
    if (Region.isFault(thrown)) {
      Throwable told = thrown;
      try {
        told = region.explained(lanes.explained(thrown));
      } catch (Throwable again) {
        // The fault itself is reason enough.
      }
      try {
        fatal.accept(told);
      } catch (Throwable again) {
        engine.lifecycle().failure = told; // the watch tells the log
      }
    }
  }

  private StoreFailedException stop(
      CommitProgress progress, @Nullable Lane lane, Throwable broken) {
    // Of what the record is written to, and of the region: whichever knows more.
    Throwable thrown = region.explained(lanes.explained(broken));
    String where = progress.describe(lane);
    try {
      fatal.accept(thrown);
    } catch (IllegalStateException e) {
      // A close that did not wait for this commit has taken the log's memory, which also stops it.
      thrown.addSuppressed(e);
    }
    progress.stage = CommitProgress.STOPPED;
    return new StoreFailedException(
        "a commit broke off in its critical part ("
            + where
            + ") and the store stopped; close it and open it again to recover: "
            + thrown,
        thrown);
  }
}
