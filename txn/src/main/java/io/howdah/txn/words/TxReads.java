package io.howdah.txn.words;

import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.AbortCause;
import io.howdah.txn.stm.Backoff;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.stm.TxEnvironment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The reads of one transaction: its read set, its snapshot, and the ways to keep the two consistent
 * (validation, extension, and snapshots that are kept open for long readers).
 *
 * <p>A base class of {@link TxContext} rather than a part of it, so that a read finds all that it
 * needs in the fields of one object. Used by one thread at a time.
 */
public abstract class TxReads {

  /** Longest park of a long reader that meets a locked word. */
  private static final long LOCKED_PARK_NANOS = 20_000;

  /** A short reader that has lost this often reads a kept snapshot, like a long one. */
  private static final int MAX_LOSSES = 3;

  private static final long[] NO_ORECS = {};

  public final TxEnvironment engine;
  final Region region;
  public final OrecTable orecs;

  /** The orecs, if they are in an array, else an empty array; see {@link OrecTable#array}. */
  final long[] orecArray;

  final int orecShift;
  final CommitLanes lanes;
  public final Execution execution;
  public final Counters counters;

  public final ReadSet reads = new ReadSet(this::continueOnKeptSnapshot);
  public final WriteSet writes;

  /** Replays words that the opening left in the log; null once all of them are replayed. */
  @Nullable DeferredReplay replay;

  /** The dense LSN of the snapshot; 0, older than all, in a new context. */
  private long snapshot;

  private long snapshotLimit;

  /**
   * The largest orec that the fast path of a read accepts: {@link #snapshotLimit}, or -1 while
   * words wait for their replay.
   */
  long plainLimit;

  boolean readOnly;

  /** Whether reads show the state at the snapshot with the help of {@link SnapshotHistory}. */
  public boolean isSnapshotOpen;

  /** Whether they did in this attempt: such reads need no validation. */
  private boolean wasSnapshot;

  /** Whether the attempt has read so much that it should not be repeated often. */
  private boolean wasLong;

  /** Attempts in a row that have lost. */
  private int losses;

  /** Whether the transaction has to know what it has read. */
  private boolean snapshotsBarred;

  /** Whether the attempt has ended because it had to know what it has read, and did not. */
  private boolean lacksReadSet;

  TxReads(TxEnvironment engine, Counters counters) {
    this.engine = engine;
    this.region = engine.region();
    this.orecs = engine.orecs();
    long[] array = orecs.array();
    this.orecArray = array == null ? NO_ORECS : array;
    this.orecShift = orecs.shift();
    this.writes = new WriteSet(orecShift);
    this.lanes = engine.lanes();
    this.execution = engine.execution();
    this.replay = engine.replay();
    this.counters = counters;
  }

  /** Ends the attempt because it lost, and returns what carries this out of the body. */
  public abstract RuntimeException conflict(AbortCause cause);

  /** Returns whether the attempt wants to wait for a change of what it has read. */
  public abstract boolean isRetrying();

  /** Ends the transaction because of a call that cannot be served. */
  public abstract RuntimeException refuse(RuntimeException reason);

  /**
   * Begins the reads of an attempt.
   *
   * @param hasLost whether the attempt before this one lost
   * @param lastCommit LSN of the context's last commit; 0 for none
   */
  final void beginReads(boolean readOnly, boolean hasLost, long lastCommit) {
    reads.clear();
    this.readOnly = readOnly;
    wasSnapshot = false;
    lacksReadSet = false;
    losses = hasLost ? losses + 1 : 0;
    if (replay != null && replay.isDone()) {
      replay = null;
    }
    if (readOnly && hasLost && (wasLong || losses >= MAX_LOSSES) && !snapshotsBarred) {
      openSnapshot(); // such an attempt does not lose again
    } else {
      // All commits write the clock's cache line, so a transaction begins with the newest value
      // that this context knows: its own last commit's LSN, or its last snapshot. The result is the
      // same as with a value read now (docs/protocol.md, R4a): a read that meets a newer version
      // moves the snapshot, with no read before it to validate. A read that meets an older version,
      // unlocked, shows that no commit with an LSN taken by now has written there. After a conflict
      // there is certainly something newer.
      moveTo(hasLost ? lanes.clock() : Math.max(snapshot, lastCommit));
    }
    wasLong = false;
  }

  /**
   * Has the next attempt begin no earlier than with an LSN that was taken; between two attempts.
   */
  public final void haveSeen(long lsn) {
    if (lsn > snapshot) {
      moveTo(lsn);
    }
  }

  /** Closes the snapshot that the attempt has kept open, if it has. */
  public final void endReads() {
    if (isSnapshotOpen) {
      StackReserve.require(); // or it might stay open
      isSnapshotOpen = false;
      orecs.history().close();
    }
  }

  /** Prepares for an unrelated transaction; gives memory back that a large one needed. */
  final void trimReads() {
    reads.trim();
    snapshotsBarred = false;
    wasLong = false;
  }

  /** Adopts a snapshot. */
  private void moveTo(long lsn) {
    snapshot = lsn;
    snapshotLimit = OrecTable.limit(lsn);
    // Every orec is larger than -1, so while a replay is under way each read takes the slow path,
    // which asks whether its word is replayed. At all other times reads pay nothing for it.
    plainLimit = replay == null ? snapshotLimit : -1;
  }

  /** Returns the dense LSN of the snapshot: all reads show the state that this commit left. */
  public final long snapshot() {
    return snapshot;
  }

  public final long snapshotLimit() {
    return snapshotLimit;
  }

  /** Returns the dense LSN of the newest commit that the transaction read from; 0 for none. */
  public final long newestRead() {
    if (wasSnapshot) {
      return snapshot;
    }
    long newest = 0;
    for (int i = 0; i < reads.count(); i++) {
      newest = Math.max(newest, reads.seen(i));
    }
    return Lsn.dense(OrecTable.version(newest));
  }

  /** Returns whether data belongs to the snapshot that was read between two loads of its orec. */
  final boolean isReadable(long before, long after) {
    return before == after && !OrecTable.isLocked(before) && before <= plainLimit;
  }

  /**
   * Returns whether a word that this transaction has read, and not written, still has the value of
   * the snapshot. Loads with acquire, and loads before an acquire fence, that come before this call
   * were made while it had that value.
   */
  public final boolean isCurrent(long address) {
    long word = orecs.getAcquire(orecs.of(address));
    return !OrecTable.isLocked(word) && word <= snapshotLimit;
  }

  // ---- Long reads.

  /**
   * Makes sure that the read set is complete, so that the transaction can wait for a change of it.
   */
  public final void requireReadSet() {
    if (wasSnapshot) {
      snapshotsBarred = true;
      lacksReadSet = true;
      throw conflict(AbortCause.EXTENSION);
    }
  }

  /**
   * Returns whether the attempt has lost to no other transaction, but for want of a read set. The
   * next one keeps it.
   */
  public final boolean lacksReadSet() {
    return lacksReadSet;
  }

  /** Moves the snapshot to the present, and has commits keep what they overwrite from now on. */
  private void openSnapshot() {
    StackReserve.require(); // or it might stay open
    moveTo(orecs.history().open(lanes::clock));
    isSnapshotOpen = true;
    wasSnapshot = true;
    reads.forget();
  }

  /**
   * Keeps the snapshot of a read-only transaction that has become long, if its reads are current.
   */
  private void continueOnKeptSnapshot() {
    wasLong = true;
    if (!readOnly || isSnapshotOpen || snapshotsBarred || isRetrying()) {
      return; // who is going to wait for a change has to know what it has read
    }
    StackReserve.require(); // or it might stay open
    long now = orecs.history().open(lanes::clock);
    isSnapshotOpen = true;
    // As in extend: the clock first, then the validation. The reads that it finds current show the
    // state at now. Commits up to now may still hold locks; their stripes count as changed.
    if (!areReadsCurrent()) {
      throw conflict(AbortCause.EXTENSION);
    }
    moveTo(now);
    wasSnapshot = true;
    reads.forget();
  }

  /** Reads a word as the open snapshot has it; waits for a commit that has locked it. */
  private long getFromSnapshot(long address, long orec) {
    for (int spins = 0; ; spins++) {
      long before = orecs.getAcquire(orec);
      if (!OrecTable.isLocked(before)) {
        long value = region.getLongOpaque(address);
        VarHandle.acquireFence();
        if (orecs.getOpaque(orec) == before) {
          return before <= snapshotLimit ? value : orecs.history().value(address, snapshot, value);
        }
      }
      if (spins < Backoff.MAX_SPINS) {
        execution.spinWait();
      } else {
        engine.lifecycle().failIfStopped(); // a commit that broke off leaves its orecs locked
        execution.parkThroughInterrupt(this, LOCKED_PARK_NANOS);
      }
    }
  }

  /** Reads a word that is locked, was written after the snapshot, or may not be replayed yet. */
  final long getContended(long address, long orec) {
    requireReplayed(address);
    if (isSnapshotOpen) {
      return getFromSnapshot(address, orec);
    }
    int spins = 0;
    while (true) {
      long before = orecs.getAcquire(orec);
      if (!OrecTable.isLocked(before)) {
        if (before > snapshotLimit) {
          extend();
          continue;
        }
        long value = region.getLongOpaque(address);
        VarHandle.acquireFence();
        if (orecs.getOpaque(orec) == before) {
          reads.add(orec, before);
          return value;
        }
      }
      if (++spins > spinLimit()) {
        throw conflict(AbortCause.LOCKED);
      }
      execution.spinWait();
    }
  }

  /**
   * Returns how many times the attempt reads a locked orec again before it gives up. An attempt
   * with many accesses waits longer, since it would have to repeat them. It holds no lock while it
   * waits.
   */
  public final int spinLimit() {
    return Backoff.MAX_SPINS + Math.min(reads.count() + writes.count(), Backoff.MAX_MORE_SPINS);
  }

  /** Waits until a word is replayed that the opening has left in the log. */
  private void requireReplayed(long address) {
    DeferredReplay replay = this.replay;
    if (replay != null) {
      replay.require(address);
    }
  }

  /** Waits until every word of the write set is replayed. */
  public final void requireWritesReplayed() {
    if (replay != null) {
      for (int i = 0, n = writes.singles(); i < n; i++) {
        requireReplayed(writes.address(i));
      }
      WrittenRows rows = writes.rows();
      for (int row = 0; row < rows.end(); row = rows.next(row)) {
        for (long a = rows.address(row), end = rows.endAddress(row); a < end; a += Long.BYTES) {
          requireReplayed(a);
        }
      }
    }
  }

  /** Moves the snapshot to the present, if all reads are current. */
  private void extend() {
    // The clock is read first, then validated, then adopted (R4): a commit between the two loads
    // either fails the validation or is newer than the snapshot adopted.
    long now = lanes.clock();
    if (!areReadsCurrent()) {
      throw conflict(AbortCause.EXTENSION);
    }
    counters.increment(Counters.EXTENSIONS);
    moveTo(now);
  }

  /**
   * Returns whether every orec in the read set still holds what it held. For a transaction that has
   * locked none itself.
   */
  public final boolean areReadsCurrent() {
    if (wasSnapshot) {
      return true;
    }
    ReadSet reads = this.reads;
    for (int i = 0, n = reads.count(); i < n; i++) {
      if (orecs.getAcquire(reads.orec(i)) != reads.seen(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns what to throw because words that were read past their orecs are not valid data: a
   * conflict if the reads are no longer current, otherwise the report of a damaged store.
   */
  public final RuntimeException inconsistentRead(long address, String what) {
    if (!areReadsCurrent()) {
      return conflict(AbortCause.VALIDATION);
    }
    return refuse(
        new CorruptStoreException(
            "region",
            address,
            what + " is damaged; verify the store, and restore it from a backup"));
  }
}
