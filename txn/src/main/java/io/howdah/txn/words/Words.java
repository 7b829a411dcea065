package io.howdah.txn.words;

import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.Region;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.AbortCause;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.alloc.HeapWords;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reads and writes of one running transaction; later transactions reuse the object. Access is
 * by address or through the allocator. Writes stay in the write set until the commit, and the
 * transaction's own reads see them. Reads stay consistent by validation, by extension of the
 * snapshot, or, for a long reader, by an open snapshot, for which commits keep the words that they
 * overwrite. {@code Attempt} begins and ends the use by an attempt; {@code TxHandle} and the
 * collections read and write.
 *
 * <p>TL2 (Dice, Shalev and Shavit, DISC 2006) with the timestamp extension of TinySTM (Felber,
 * Fetzer and Riegel, PPoPP 2008): every read is validated against the stripe's orec immediately. A
 * body therefore computes on one consistent state of the store, even if its attempt aborts later.
 *
 * <p>All fields that a read needs are in this one object, for speed. This class does not decide
 * whether the attempt commits, waits or ends; it calls {@link Ending}. Used by one thread at a
 * time.
 */
public final class Words {

  /** Maximum park of a long reader that finds an orec locked, in nanoseconds. */
  private static final long LOCKED_PARK_NANOS = 20_000;

  /** After this number of conflicts, a read-only transaction opens a snapshot at its begin. */
  private static final int MAX_CONFLICTS = 3;

  /** Maximum number of loads of a locked orec before a read or a commit reports a conflict. */
  private static final int MAX_SPINS = 50;

  /**
   * Maximum number of further loads for a transaction with many reads and writes. They take about
   * as long as a large commit.
   */
  private static final int MAX_MORE_SPINS = 2000;

  private static final long[] NO_ORECS = {};

  private static final int WORD_SHIFT = 3;
  private static final int STRIPE_SHIFT = Integer.numberOfTrailingZeros(OrecTable.STRIPE_BYTES);
  private static final long NO_LINE = -1;

  /** Number of words of a line, which is a cache line of the region. */
  private static final int LINE_WORDS = 8;

  /** Number of words that {@link #get(long[], long[])} reads together. */
  private static final int AT_ONCE = 64;

  private static final int CACHE_LINE_BYTES = 64;

  /**
   * Distance of the orecs that are preloaded, in bytes of the region. It is half of a stripe group,
   * since the orecs of one group may be on two cache lines: the elements of an array do not start
   * at the start of a cache line. A block need not start at the start of a group either.
   */
  private static final int ORECS_BYTES = OrecTable.GROUP_BYTES / 2;

  private static final int STRIPE_WORDS = OrecTable.STRIPE_BYTES / Long.BYTES;

  /**
   * Number of times that a slow path calls itself before it does its work. HotSpot inlines a method
   * into itself one time less, so the slow path is never inlined as a whole. Otherwise a single
   * transaction with many writes, which often takes the slow path, would have it inlined into every
   * read and write of the program. Those would be too large to be inlined themselves, and the
   * processor would overlap fewer cache misses.
   */
  private static final int UNINLINED = 2;

  private final Region region;
  private final OrecTable orecs;

  /** The orecs if they are in an array, otherwise an empty array; see {@link OrecTable#array}. */
  private final long[] orecArray;

  private final int orecShift;
  private final LongSupplier clock;
  private final Execution execution;
  private final Counters counters;
  private final Ending ending;

  /** Called from time to time by a wait for the replay. */
  private final Runnable failIfExpired;

  /** The orecs of the words that the attempt has read. Opens a snapshot when it becomes long. */
  public final ReadSet reads = new ReadSet(new LongRead());

  public final WriteSet writes;

  /** What the transaction writes to nodes. */
  public final NodeWrites nodeWrites = new NodeWrites();

  /** Reads and writes nodes. */
  public final Nodes nodes;

  public final HeapSession heap;

  /** Counts operations on structures that write several words and must not end half-way. */
  public final Operations operations = new Operations();

  /** The new objects that have properties outside the store. */
  public final NewObjects newObjects = new NewObjects();

  /** The number of this object among those of its store. */
  public final int id;

  private final Savepoints savepoints = new Savepoints();

  /** Actions that run after the commit, in the order in which they were added. */
  private final ArrayList<AfterCommit> afterCommit = new ArrayList<>(1);

  /** State of the layer above. */
  private WordsAttachment attachment;

  /** The deferred replay of the opening; null once all words are replayed. */
  private @Nullable DeferredReplay replay;

  /** The dense LSN of the snapshot; 0 before the first attempt. */
  private long snapshot;

  /**
   * The largest word of an unlocked orec that the snapshot may read; not an LSN ({@link
   * OrecTable#limit}).
   */
  private long snapshotLimit;

  /**
   * The largest orec word that the fast path of a read accepts: {@link #snapshotLimit}, or -1
   * during the deferred replay.
   */
  private long plainLimit;

  /** The clock before the last validation by {@link #requireCurrentReads}; -1 for none. */
  private long readsCurrentAt;

  private boolean readOnly;

  /** Whether reads take overwritten words from {@link SnapshotHistory}. */
  private boolean isSnapshotOpen;

  /** Whether {@link #isSnapshotOpen} was true in this attempt; its reads need no validation. */
  private boolean hadSnapshotOpen;

  /** Whether the attempt has read many words, so that a repetition would be expensive. */
  private boolean wasLong;

  /** Number of consecutive attempts that ended with a conflict. */
  private int conflicts;

  /** Whether the transaction needs its complete read set, so that it must not open a snapshot. */
  private boolean mustKeepReadSet;

  /** Whether the attempt has ended because it needed a complete read set and had none. */
  private boolean lacksReadSet;

  public final Guards guards = new Guards();
  private final WordRanges ranges;
  private final GuardedRanges guarded;
  private final long dataWords;
  private final int maxWrites;

  /** Maximum number of words that this attempt may write. */
  private int writeLimit;

  /**
   * The first of the two orecs of the line that was read last; {@link #lineSeen} has their words.
   * {@link #NO_LINE} if the words of that line are not all from memory at one point in time.
   */
  private long lineOrec = NO_LINE;

  private final long[] lineSeen = new long[2];

  @SuppressWarnings("UnusedVariable") // written so that the JIT compiler keeps the preloads
  private long touched;

  /**
   * Creates an object for one transaction at a time.
   *
   * @param id the number of this object among those of the store
   * @param counters counts extensions of the snapshot
   * @param attachment state of the layer above
   * @param ending ends the attempt that uses the words
   */
  public Words(
      SharedMemory memory, int id, Counters counters, WordsAttachment attachment, Ending ending) {
    this.id = id;
    this.ending = ending;
    this.failIfExpired = new FailIfExpired(ending);
    this.counters = counters;
    this.attachment = attachment;
    this.region = memory.region();
    this.orecs = memory.orecs();
    this.clock = memory.clock();
    this.execution = memory.execution();
    this.replay = memory.replay();
    long[] array = orecs.array();
    this.orecArray = array == null ? NO_ORECS : array;
    this.orecShift = orecs.shift();
    this.writes = new WriteSet(orecShift);
    this.dataWords = (region.capacityBytes() - RegionHeaderLayout.BLOCKS_ADDRESS) >>> WORD_SHIFT;
    this.maxWrites = (int) (memory.maxTransactionBytes() >>> WORD_SHIFT);
    this.ranges = new WordRanges(this, region, orecs);
    this.guarded = new GuardedRanges(this, region, orecs);
    this.nodes = new Nodes(this, region, orecs);
    this.heap = new HeapSession(memory.heap(), new AllocatorWords(this), id);
  }

  // ---- The attempt that uses the words.

  /**
   * Begins an attempt on the newest state, without reads, writes and allocations. The allocations
   * of a former attempt that did not commit are given up here or in {@link #trim}, not at its end.
   * For the parameters see {@link #beginReads}.
   */
  public void begin(boolean readOnly, boolean hadConflict, long minSnapshot) {
    heap.aborted(); // no effect if the last attempt allocated nothing or has committed
    operations.start();
    afterCommit.clear();
    writes.clear();
    nodeWrites.clear();
    guards.clear();
    lineOrec = NO_LINE;
    writeLimit = readOnly ? 0 : maxWrites;
    writes.limit(writeLimit);
    beginReads(readOnly, hadConflict, minSnapshot);
  }

  /** Prepares for an unrelated transaction; frees memory that a large one needed. */
  public void trim() {
    newObjects.trim();
    reads.trim();
    mustKeepReadSet = false;
    wasLong = false;
    writes.trim();
    nodeWrites.trim();
    guards.trim();
    heap.aborted();
    attachment.trim();
  }

  /** Ends the transaction because a call is invalid or cannot succeed; returns the exception. */
  public RuntimeException refuse(RuntimeException reason) {
    return ending.refuse(reason);
  }

  /** Ends the attempt so that the body runs again later; see {@link Ending#holdBack}. */
  public RuntimeException holdBack(long maxNanos, Supplier<? extends RuntimeException> overdue) {
    return ending.holdBack(maxNanos, overdue);
  }

  /** Returns the state of the layer above. */
  public WordsAttachment attachment() {
    return attachment;
  }

  public void attach(WordsAttachment attachment) {
    this.attachment = attachment;
  }

  /** Adds an action that runs after the commit. An action that is added twice runs once. */
  public void afterCommit(AfterCommit action) {
    if (!afterCommit.contains(action)) {
      afterCommit.add(action);
    }
  }

  /** Drops the actions that run after the commit, since the attempt has not committed. */
  public void forgetAfterCommit() {
    afterCommit.clear();
  }

  /**
   * Runs {@link AfterCommit#committed} of each action, and drops those that return true: nothing is
   * left to run.
   */
  public void tellCommitted() {
    for (int i = afterCommit.size() - 1; i >= 0; i--) {
      if (afterCommit.get(i).committed(this)) {
        AfterCommit _ = afterCommit.remove(i);
      }
    }
  }

  /** Returns whether there are actions that run after the commit. */
  public boolean hasAfterCommit() {
    return !afterCommit.isEmpty();
  }

  /** Removes and returns the actions that run after the commit. */
  public AfterCommit[] takeAfterCommit() {
    AfterCommit[] actions = afterCommit.toArray(AfterCommit[]::new);
    afterCommit.clear();
    return actions;
  }

  /** Returns whether an error has interrupted an operation of the attempt. */
  public boolean hasBrokenOperation() {
    return operations.open() != 0 || writes.isBroken() || nodeWrites.isBroken();
  }

  /**
   * Returns a savepoint of the attempt's present state.
   *
   * @param hooks the position in the attempt's hooks, for {@link Savepoints.State#hooks}
   */
  public Savepoints.State savepoint(Tx tx, long hooks) {
    if (!writes.isUndoable()) {
      savepoints.clear(); // those of an earlier attempt
    }
    long position = writes.position();
    int place = savepoints.count();
    return new Savepoints.State(
        tx,
        position,
        guards.count(),
        nodeWrites.position(),
        hooks,
        operations.open(),
        newObjects.count(),
        place,
        savepoints.add());
  }

  /**
   * Returns whether a savepoint is valid: of this attempt, without a roll-back to an earlier one.
   */
  public boolean has(Savepoints.State savepoint) {
    return writes.isUndoable() && savepoints.has(savepoint.place(), savepoint.number());
  }

  /** Undoes the changes of the attempt since a savepoint. */
  public void rollBack(Savepoints.State savepoint) {
    savepoints.rollBack(savepoint.place());
    writes.rollBack(savepoint.writes());
    guards.rollBack(savepoint.guards());
    int nodeWords = nodeWrites.wordCount();
    nodeWrites.rollBack(savepoint.nodes());
    writes.claim(nodeWrites.wordCount() - nodeWords);
    heap.rolledBack();
    newObjects.rollBack(savepoint.newObjects());
  }

  // ---- The snapshot.

  /**
   * Begins the reads of an attempt.
   *
   * @param hadConflict whether the attempt before this one ended with a conflict
   * @param minSnapshot a dense LSN whose commit the caller has seen: the snapshot is at least this;
   *     0 for none
   */
  void beginReads(boolean readOnly, boolean hadConflict, long minSnapshot) {
    reads.clear();
    readsCurrentAt = -1;
    this.readOnly = readOnly;
    hadSnapshotOpen = false;
    lacksReadSet = false;
    conflicts = hadConflict ? conflicts + 1 : 0;
    if (replay != null && replay.isDone()) {
      replay = null;
    }
    if (readOnly && hadConflict && (wasLong || conflicts >= MAX_CONFLICTS) && !mustKeepReadSet) {
      openSnapshot(); // reads of an open snapshot have no conflicts
    } else {
      // Every commit writes the cache line of the clock, so reading it is slow. A transaction
      // begins with the newest LSN that this object knows: that of its last commit or its last
      // snapshot. The result is the same as with the clock's value (docs/protocol.md, R4a). If the
      // first read finds a newer version, the snapshot is extended, and there is no earlier read to
      // validate. If a read finds an unlocked older version, no commit whose LSN is taken by now
      // has written the stripe. After a conflict a newer commit exists, so the clock is read.
      setSnapshot(hadConflict ? clock.getAsLong() : Math.max(snapshot, minSnapshot));
    }
    wasLong = false;
  }

  /** Raises the snapshot of the next attempt to an LSN. Called between two attempts. */
  public void raiseSnapshot(long lsn) {
    if (lsn > snapshot) {
      setSnapshot(lsn);
    }
  }

  /** Closes the snapshot if the attempt has one open. */
  public void endReads() {
    if (isSnapshotOpen) {
      StackReserve.require(); // otherwise the snapshot might stay open
      isSnapshotOpen = false;
      orecs.history().close();
    }
  }

  private void setSnapshot(long lsn) {
    snapshot = lsn;
    snapshotLimit = OrecTable.limit(lsn);
    // Every orec word is larger than -1. During the deferred replay every read therefore takes the
    // slow path, which checks that its word is replayed. At other times the check costs nothing.
    plainLimit = replay == null ? snapshotLimit : -1;
  }

  /** Returns the dense LSN of the snapshot: reads see the state after the commit with this LSN. */
  public long snapshot() {
    return snapshot;
  }

  /**
   * Returns the largest word of an unlocked orec that the snapshot may read. It is compared with
   * raw words of orecs, not with LSNs.
   */
  public long snapshotLimit() {
    return snapshotLimit;
  }

  /** Returns whether reads take overwritten words from the history. */
  public boolean isSnapshotOpen() {
    return isSnapshotOpen;
  }

  /** Returns the dense LSN of the newest commit that the transaction has read; 0 for none. */
  public long newestRead() {
    if (hadSnapshotOpen) {
      return snapshot;
    }
    long newest = 0;
    for (int i = 0; i < reads.count(); i++) {
      newest = Math.max(newest, reads.seen(i));
    }
    return Lsn.dense(OrecTable.version(newest));
  }

  /** Returns whether data that was read between two loads of its orec belongs to the snapshot. */
  boolean isReadable(long before, long after) {
    return before == after && !OrecTable.isLocked(before) && before <= plainLimit;
  }

  /**
   * Returns whether a word that this transaction has read, and not written, still has the value of
   * the snapshot. If so, it had that value during all earlier loads with acquire, and all loads
   * before an earlier acquire fence.
   */
  public boolean isCurrent(long address) {
    long word = orecs.getAcquire(orecs.of(address));
    return !OrecTable.isLocked(word) && word <= snapshotLimit;
  }

  // ---- Long reads.

  /**
   * Ensures that the read set is complete, so that the transaction can wait until a word of it
   * changes. If it is not, ends the attempt; the next one keeps its complete read set.
   */
  public void requireReadSet() {
    if (hadSnapshotOpen) {
      mustKeepReadSet = true;
      lacksReadSet = true;
      throw ending.conflict(AbortCause.EXTENSION);
    }
  }

  /**
   * Returns whether {@link #requireReadSet} has ended the attempt. No other transaction has caused
   * that, and the next attempt keeps its complete read set.
   */
  public boolean lacksReadSet() {
    return lacksReadSet;
  }

  /** Opens a snapshot of the present; from now on commits keep the words that they overwrite. */
  private void openSnapshot() {
    StackReserve.require(); // otherwise the snapshot might stay open
    setSnapshot(orecs.history().open(clock));
    isSnapshotOpen = true;
    hadSnapshotOpen = true;
    reads.forget();
  }

  private final class LongRead implements Runnable {
    @Override
    public void run() {
      openSnapshotForLongRead();
    }
  }

  private record FailIfExpired(Ending ending) implements Runnable {
    @Override
    public void run() {
      ending.failIfExpired();
    }
  }

  /**
   * Opens a snapshot for a read-only transaction that has become long, if its reads are current.
   */
  private void openSnapshotForLongRead() {
    wasLong = true;
    if (!readOnly || isSnapshotOpen || mustKeepReadSet || ending.isRetrying()) {
      return; // a transaction that waits for a change needs its complete read set
    }
    StackReserve.require(); // otherwise the snapshot might stay open
    long now = orecs.history().open(clock);
    isSnapshotOpen = true;
    // As in extend(): the clock is read first, then the reads are validated. Reads that are current
    // show the state at `now`. Commits up to `now` may still have orecs locked; validation treats
    // their stripes as changed.
    if (!areReadsCurrent()) {
      throw ending.conflict(AbortCause.EXTENSION);
    }
    setSnapshot(now);
    hadSnapshotOpen = true;
    reads.forget();
  }

  /** Reads a word from the open snapshot; waits for a commit that has locked its orec. */
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
      awaitCommit(spins);
    }
  }

  /**
   * Waits for a commit that has locked an orec, a short time.
   *
   * @param spins number of waits before this one
   */
  void awaitCommit(int spins) {
    if (spins < MAX_SPINS) {
      execution.spinWait();
    } else {
      ending.failIfStopped(); // an interrupted commit leaves its orecs locked
      execution.parkThroughInterrupt(this, LOCKED_PARK_NANOS);
    }
  }

  /** Returns the value of a word in the open snapshot; its present value is of a later commit. */
  long fromHistory(long address) {
    long value = region.getLongOpaque(address);
    VarHandle.acquireFence(); // a commit keeps the former value before it stores this one
    return orecs.history().value(address, snapshot, value);
  }

  /** Reads a word that is locked, was written after the snapshot, or may not be replayed yet. */
  long getContended(long address, long orec) {
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
        throw locked();
      }
      execution.spinWait();
    }
  }

  /** Ends the attempt because an orec stays locked; returns the exception to throw. */
  RuntimeException locked() {
    return ending.conflict(AbortCause.LOCKED);
  }

  void spinWait() {
    execution.spinWait();
  }

  /**
   * Returns the number of times that the attempt reads a locked orec again before it reports a
   * conflict. An attempt with many accesses waits longer, since it would have to repeat them. It
   * has no orec locked while it waits.
   */
  public int spinLimit() {
    return MAX_SPINS
        + Math.min(reads.count() + writes.count() + nodeWrites.rowCount(), MAX_MORE_SPINS);
  }

  /**
   * Waits until the deferred replay has replayed a word. This takes seconds if a part of the log is
   * not read yet, so the transaction's time limit applies.
   */
  void requireReplayed(long address) {
    DeferredReplay replay = this.replay;
    if (replay != null) {
      replay.require(address, failIfExpired);
    }
  }

  /** Waits until every word that the transaction has written is replayed. */
  public void requireWritesReplayed() {
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
      for (int row = 0; row < nodeWrites.end(); row = nodeWrites.next(row)) {
        requireReplayed(nodeWrites.rowAddress(row)); // a chunk is at least as long as a node
      }
    }
  }

  /** Moves the snapshot to the present, or ends the attempt if a read is not current. */
  void extend() {
    // The clock is read first, then the reads are validated, then the snapshot moves (R4). A commit
    // between the load of the clock and the validation either changes an orec that is validated, or
    // has a larger LSN than the new snapshot.
    long now = clock.getAsLong();
    if (!areReadsCurrent()) {
      throw ending.conflict(AbortCause.EXTENSION);
    }
    counters.increment(Counters.EXTENSIONS);
    setSnapshot(now);
  }

  /**
   * Returns whether every orec in the read set is unchanged. The transaction must not have locked
   * an orec itself.
   */
  public boolean areReadsCurrent() {
    if (hadSnapshotOpen) {
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
   * Ends the attempt unless every orec in the read set was unchanged while the caller read words,
   * before an acquire fence. While no commit takes an LSN, only the first call looks at the read
   * set: a commit that has stored words has taken its LSN before, and locked its orecs before that.
   */
  void requireCurrentReads() {
    long now = clock.getAsLong();
    if (now != readsCurrentAt) {
      if (!areReadsCurrent()) {
        throw ending.conflict(AbortCause.EXTENSION);
      }
      readsCurrentAt = now;
    }
  }

  /**
   * Returns the exception for invalid data in words that were read without their orecs: a conflict
   * if the reads are no longer current, otherwise the report of a damaged store.
   */
  public RuntimeException inconsistentRead(long address, String what) {
    if (!areReadsCurrent()) {
      return ending.conflict(AbortCause.VALIDATION);
    }
    return refuse(
        new CorruptStoreException(
            "region",
            address,
            what + " is damaged; verify the store, and restore it from a backup"));
  }

  /** Stores words that were loaded only for their cache lines, so that the JIT keeps the loads. */
  public void keepLoads(long words) {
    touched = words;
  }

  // ---- Words.

  /** Reads a word of the application's part of the region. */
  public long get(long address) {
    requireWord(address);
    return getUnchecked(address);
  }

  /** Reads many words of the application's part of the region. */
  public void get(long[] addresses, long[] values) {
    int count = addresses.length;
    int i = 0;
    while (i < count) {
      int few = Math.min(count - i, AT_ONCE);
      int end = i + few;
      i += reads.hasRoom(few) ? getAtOnce(addresses, values, i, few) : 0;
      for (; i < end; i++) {
        values[i] = get(addresses[i]);
      }
    }
  }

  /**
   * Reads some words: first all orecs, then all words, then all orecs again (docs/protocol.md,
   * section 7). The load loops are short, so the processor overlaps the cache misses of all orecs
   * and words. It overlaps only a few of them in a sequence of single reads, which are longer.
   *
   * @return the number of words, from the first one on, that belong to the snapshot; the caller
   *     reads the rest one by one
   */
  private int getAtOnce(long[] addresses, long[] values, int from, int count) {
    long[] noted = reads.entries();
    int end = reads.end();
    noteOrecs(addresses, from, count, noted, end);
    region.getLongs(addresses, values, from, count); // preloads the cache lines
    long[] array = orecs.array();
    noteSeen(array, count, noted, end);
    // Orders the loads of the orecs above before the loads of the words below. Pairs with the
    // store-store fence between the locks and the stores of Committer.commitLocked.
    VarHandle.acquireFence();
    region.getLongs(addresses, values, from, count);
    VarHandle.acquireFence();
    int valid = countValid(array, count, noted, end);
    reads.confirm(valid);
    return valid;
  }

  private void noteOrecs(long[] addresses, int from, int count, long[] noted, int end) {
    int shift = orecShift;
    for (int i = 0; i < count; i++) {
      long address = addresses[from + i];
      requireWord(address);
      noted[end + 2 * i] = OrecTable.of(address, shift);
    }
  }

  private void noteSeen(long @Nullable [] array, int count, long[] noted, int end) {
    OrecTable orecs = this.orecs;
    for (int i = 0; i < count; i++) {
      noted[end + 2 * i + 1] = orecs.getOpaque(array, noted[end + 2 * i]);
    }
  }

  /** Returns the number of leading words that are not written and belong to the snapshot. */
  private int countValid(long @Nullable [] array, int count, long[] noted, int end) {
    OrecTable orecs = this.orecs;
    for (int i = 0; i < count; i++) {
      long orec = noted[end + 2 * i];
      if (!isReadable(noted[end + 2 * i + 1], orecs.getOpaque(array, orec))
          || writes.isInFilter((int) orec)) {
        return i;
      }
    }
    return count;
  }

  /** Reads a word whose address is valid; the region's header is allowed. */
  public long getUnchecked(long address) {
    // The array is in a local variable, since fields are reloaded after each acquire. Slow paths
    // are calls in tail position, so the compiler keeps no values alive for them.
    long[] array = orecArray;
    int orec = OrecTable.of(address, orecShift);
    // The array access makes the same comparison, so the JIT compiler merges the two.
    if (Integer.compareUnsigned(orec, array.length) >= 0 || writes.isInFilter(orec)) {
      return getSlowly(address, 0);
    }
    // Loads of the orec before and after bracket the load of the data: an acquire load before, an
    // acquire fence after, since an acquire load does not keep an earlier load above it
    // (docs/protocol.md, section 7). They pair with the store-store fence before the data stores
    // in Committer.commitLocked, and with the release of the orec in OrecLocks.release.
    long before = OrecTable.getAcquire(array, orec);
    long value = region.getLongOpaque(address);
    VarHandle.acquireFence();
    long after = OrecTable.getOpaque(array, orec);
    if (before == after && !OrecTable.isLocked(before) && before <= plainLimit) {
      reads.add(orec, before);
      return value;
    }
    return getContended(address, orec);
  }

  /**
   * Reads a word that the transaction may have written, or whose orec is in a region.
   *
   * @param calls see {@link #UNINLINED}
   */
  private long getSlowly(long address, int calls) {
    if (calls < UNINLINED) {
      return getSlowly(address, calls + 1);
    }
    int entry = writes.passesFilter(address) ? writes.find(address) : -1;
    if (entry >= 0) {
      return writes.value(entry);
    }
    long orec = orecs.of(address);
    long before = orecs.getAcquire(orec);
    long value = region.getLongOpaque(address);
    VarHandle.acquireFence();
    if (isReadable(before, orecs.getOpaque(orec))) {
      reads.add(orec, before);
      return value;
    }
    return getContended(address, orec);
  }

  /** Reads consecutive words, whose addresses are valid, into bytes. */
  public void getRange(long address, byte[] target, int offset, int words) {
    ranges.get(address, target, offset, words);
  }

  /** Reads the 8 words of a cache line, whose address is valid. */
  public void getLine(long address, long[] line) {
    long orec = orecs.of(address);
    // The order of loads and its pairs are those of getUnchecked.
    long first = orecs.getAcquire(orec);
    long second = orecs.getAcquire(orec + 1);
    region.getLongs(address, line, 0, LINE_WORDS);
    VarHandle.acquireFence();
    if (isReadable(first, orecs.getOpaque(orec)) && isReadable(second, orecs.getOpaque(orec + 1))) {
      lineOrec = orec;
      lineSeen[0] = first;
      lineSeen[1] = second;
      reads.add(orec, first, second);
    } else {
      lineOrec = NO_LINE;
      for (int i = 0; i < LINE_WORDS; i++) {
        line[i] = getUnchecked(address + ((long) i << WORD_SHIFT));
      }
      return;
    }
    if (writes.count() != 0) {
      overlayLine(address, line);
    }
  }

  /**
   * Reads words that every writer {@linkplain #guard guards} by a word of the line that was read
   * last. The orec of that word is already in the cache and in the read set. If it is unchanged,
   * the words belong to the snapshot.
   *
   * @param slot address of the guarding word
   * @return false if the orec has changed, or if this transaction may have written the guarding
   *     word; then the caller calls the method below
   */
  public boolean getGuarded(long address, byte[] target, int words, long slot) {
    if (lineOrec == NO_LINE || writes.mayContain(slot)) {
      return false;
    }
    region.getBytes(address, target, 0, words << WORD_SHIFT);
    // As after every read of data. Pairs with the store-store fence between the locks and the
    // stores in Committer.commitLocked of the commit that wrote these words (docs/protocol.md,
    // section 7).
    VarHandle.acquireFence();
    int which = (int) (slot >>> STRIPE_SHIFT) & 1; // a branch would be unpredictable
    if (orecs.getOpaque(lineOrec + which) != lineSeen[which]) {
      return false;
    }
    if (writes.count() != 0) {
      ranges.overlay(address, target, 0, words);
    }
    return true;
  }

  /**
   * Reads consecutive words that every writer {@linkplain #guard guards} by a word which this
   * transaction has read before. If the orec of that word has changed since, the transaction has a
   * conflict, unless a snapshot is open.
   *
   * <p>The words belong to a structure that may be dropped, which frees the words without a guard.
   * Then they may have another owner, and the commit that dropped the structure has written a word
   * that tells whether it exists.
   *
   * @param guard the address of the guarding word
   * @param existence the address of the word that a drop of the structure writes; this transaction
   *     has read it
   */
  public void getGuarded(
      long guard, long existence, long address, byte[] target, int offset, int words) {
    guarded.get(guard, existence, address, target, offset, words);
    if (writes.count() != 0) {
      ranges.overlay(address, target, offset, words);
    }
  }

  /**
   * Makes the commit lock the orec of a word and set it to the commit's version, as if the commit
   * wrote the word. Readers of other words by {@link #getGuarded} then see a change. After this
   * call, the caller must write another word that the transaction has not written before. The
   * number of these guards is therefore bounded by the number of written words, which is limited.
   * {@link #guardPage} adds more.
   */
  public void guard(long address) {
    guards.add(address);
  }

  /**
   * Makes the commit lock the orecs of all stripes of a page, which becomes one of nodes: a reader
   * may know the address of a former block there (docs/protocol.md, R41). These are 128 guards for
   * one written word, the descriptor of the page.
   *
   * @param page the address of the page
   */
  void guardPage(long page) {
    for (long a = page; a < page + PageLayout.PAGE_BYTES; a += OrecTable.STRIPE_BYTES) {
      guards.add(a);
    }
  }

  /**
   * Replaces consecutive words whose readers validate them by the orec of another word ({@link
   * #getGuarded(long, long, long, byte[], int, int)}): {@linkplain #guard guards} that word. The
   * commit need not lock the orecs of the words themselves (docs/protocol.md, section 7).
   *
   * @param guard the address of the word with that orec
   */
  public void putGuarded(long guard, long address, byte[] source, int offset, int words) {
    if (!hasWritten(address)) {
      guard(guard); // unless an earlier call has guarded it
    }
    ranges.putGuarded(address, source, offset, words);
  }

  /** Returns whether the transaction has written a word. */
  public boolean hasWritten(long address) {
    return writes.passesFilter(address) && writes.find(address) >= 0;
  }

  private void overlayLine(long address, long[] line) {
    for (int stripe = 0; stripe < LINE_WORDS; stripe += STRIPE_WORDS) {
      if (!writes.mayContain(address + ((long) stripe << WORD_SHIFT))) {
        continue; // the answer holds for all words of the stripe
      }
      for (int i = stripe; i < stripe + STRIPE_WORDS; i++) {
        int entry = writes.find(address + ((long) i << WORD_SHIFT));
        line[i] = entry >= 0 ? writes.value(entry) : line[i];
      }
    }
  }

  /**
   * Allocates physical memory for a page that was never used. A read is not enough: it maps a
   * shared zero page, and the first write that replaces the mapping interrupts all processors. The
   * compare-and-set from 0 to 0 changes no value, even if other threads use the page.
   */
  public void prepare(long address) {
    region.compareAndSetLong(address, 0, 0);
  }

  /**
   * Loads the cache lines of a word and of its orec, which will be read soon, so that the misses of
   * several words overlap. Returns the word's present value, as a hint of the next address.
   */
  public long preload(long address) {
    long word = region.getLongOpaque(address);
    touched ^= word ^ orecs.getOpaque(orecs.of(address));
    return word;
  }

  /** Loads the cache line of a word that will be read or written soon, without its orec. */
  public void preloadWord(long address) {
    touched ^= region.getLongOpaque(address);
  }

  /**
   * Loads the cache lines of a small block that will be read soon, and of its orecs. A hint, which
   * does not change the result of a read.
   *
   * @param block the address of the block; the addresses of all its words are valid
   */
  public void preload(long block, int bytes) {
    long[] array = orecs.array();
    OrecTable orecs = this.orecs;
    int shift = orecShift;
    long end = block + bytes;
    long seen = 0;
    for (long at = block; at < end; at += CACHE_LINE_BYTES) {
      seen ^= region.getLongOpaque(at);
    }
    for (long at = block; at < end; at += ORECS_BYTES) {
      long orec = OrecTable.of(at, shift);
      seen ^= orecs.getOpaque(array, orec);
    }
    touched = seen;
  }

  /**
   * Loads the cache lines of words that will be read soon, and of their orecs, so that all misses
   * overlap. A hint, which does not change the result of a read.
   *
   * @param addresses the first {@code count} are valid addresses of words
   * @param sink receives present values, which are not validated
   */
  public void preload(long[] addresses, int count, long[] sink) {
    region.getLongs(addresses, sink, 0, count);
    long[] array = orecs.array();
    OrecTable orecs = this.orecs;
    int shift = orecShift;
    long seen = 0;
    for (int i = 0; i < count; i++) {
      long orec = OrecTable.of(addresses[i], shift);
      seen ^= orecs.getOpaque(array, orec);
    }
    touched = seen;
  }

  /** Loads the cache lines of words without their orecs, for reads by an orec loaded before. */
  public void preloadWords(long[] addresses, int count, long[] sink) {
    region.getLongs(addresses, sink, 0, count);
  }

  /** Reads present values from an address on, as {@link #peek(long)} does. */
  public void peek(long address, long[] words, int count) {
    region.getLongs(address, words, 0, count);
  }

  /**
   * Returns the present value of a word, without validation. Use it only as a hint of how much to
   * read.
   */
  public long peek(long address) {
    return region.getLongOpaque(address);
  }

  /**
   * Reads a write-once word without validation. The commit that made the word reachable must also
   * have written it. Returns 0 if the word is not set, or if the caller must read it with
   * validation.
   */
  public long getConstant(long address) {
    return isSnapshotOpen || replay != null ? 0 : region.getLongAcquire(address);
  }

  /**
   * Reads a word whose value only grows, without a conflict if it grows. The value may be older or
   * newer than the snapshot. A transaction with an open snapshot reads the word with validation,
   * and so does every transaction during the deferred replay. A reader that sees a value also sees
   * the locked orecs of all words that the same commit wrote: the acquire load here pairs with the
   * store-store fence between the locks and the stores in Committer.commitLocked.
   */
  public long getGuess(long address) {
    if (isSnapshotOpen || replay != null) {
      return getUnchecked(address);
    }
    int entry = writes.passesFilter(address) ? writes.find(address) : -1;
    return entry >= 0 ? writes.value(entry) : region.getLongAcquire(address);
  }

  /** Returns a buffer of a few KiB for copies in pieces. */
  byte[] part() {
    return ranges.part();
  }

  /** Writes consecutive words, whose addresses are valid, from bytes. */
  public void putRange(long address, byte[] source, int offset, int words) {
    ranges.put(address, source, offset, words);
  }

  /** Writes the first words of an array, at consecutive addresses that are valid. */
  public void putWords(long address, long[] source, int words) {
    if (writes.beginRow(address, words)) {
      writes.rows().add(address, source, words);
      writes.endRow();
      return;
    }
    for (int i = 0; i < words; i++) {
      putUnchecked(address + ((long) i << WORD_SHIFT), source[i]);
    }
  }

  /** Reserves room for words that the transaction will write. */
  void reserveWrites(int words) {
    writes.reserve(Math.clamp(writeLimit - (long) writes.count(), 0, words));
  }

  /** Writes a word of the application's part of the region. */
  public void put(long address, long value) {
    requireWord(address);
    putUnchecked(address, value);
  }

  /** Writes a word whose address is valid; the region's header is allowed. */
  public void putUnchecked(long address, long value) {
    if (!writes.append(address, value, OrecTable.of(address, orecShift))) {
      putSlowly(address, value, 0);
    }
  }

  /**
   * Writes a word that the transaction may have written before, or that the fast path has no room
   * for.
   *
   * @param calls see {@link #UNINLINED}
   */
  private void putSlowly(long address, long value, int calls) {
    if (calls < UNINLINED) {
      putSlowly(address, value, calls + 1);
    } else if (!writes.put(address, value)) {
      throw refuse(tooMany());
    }
  }

  /**
   * Ends the transaction if it has written more words than its limit.
   *
   * @param isWritten false if there was no room for a word
   */
  void requireRoom(boolean isWritten) {
    if (!isWritten || writes.count() > writeLimit) {
      throw refuse(tooMany());
    }
  }

  /** Returns how many words the transaction has written; those of nodes, as often as written. */
  public long writtenWords() {
    return (long) writes.count() + nodeWrites.wordCount();
  }

  /** Returns how many words the transaction may write. */
  public int maxWrittenWords() {
    return writeLimit;
  }

  private RuntimeException tooMany() {
    if (maxWrites == 0) {
      return new ReadOnlyStoreException(
          "the store is open for reading only; open it without readOnly (--read-only) to change"
              + " it");
    }
    return writeLimit == 0
        ? new TransactionStateException(
            "a read-only transaction cannot write; use run or call in place of read")
        : new TransactionTooLargeException(
            "the transaction writes more than "
                + ((long) maxWrites << WORD_SHIFT)
                + " bytes; split it, or raise maxTransactionBytes");
  }

  // ---- Addresses.

  /** Returns whether an address is that of a cache line of the application's part of the region. */
  public boolean isLine(long address) {
    return (address & (LINE_WORDS * Long.BYTES - 1)) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address < region.capacityBytes();
  }

  /** Returns whether a block of this length can be at an address. */
  public boolean isBlock(long address, int bytes) {
    return (address & 15) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address <= region.capacityBytes() - bytes;
  }

  /** Returns 64 random bits that cannot be guessed from outside. */
  public long randomLong() {
    return execution.randomLong();
  }

  /** Returns whether the attempt is read-only. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /** Returns the region's capacity in bytes. */
  public long capacityBytes() {
    return region.capacityBytes();
  }

  private void requireWord(long address) {
    // One unsigned comparison is enough: a misaligned or negative distance rotates to a large
    // value.
    long word = Long.rotateRight(address - RegionHeaderLayout.BLOCKS_ADDRESS, WORD_SHIFT);
    if (Long.compareUnsigned(word, dataWords) >= 0) {
      throw invalidAddress(address, Long.BYTES, Long.BYTES);
    }
  }

  /** Checks the address of a field of 1, 2, 4 or 8 bytes. */
  public void requireField(long address, int lengthBytes) {
    if ((address & (lengthBytes - 1)) != 0) {
      throw invalidAddress(address, lengthBytes, lengthBytes);
    }
    requireWord(address & -Long.BYTES);
  }

  /** Checks the addresses of a range of any alignment. */
  public void requireRange(long address, long lengthBytes) {
    long last = region.capacityBytes() - lengthBytes;
    if (lengthBytes < 0 || address < RegionHeaderLayout.BLOCKS_ADDRESS || address > last) {
      throw invalidAddress(address, lengthBytes, 1);
    }
  }

  private RuntimeException invalidAddress(long address, long lengthBytes, int alignment) {
    String problem =
        (address & (alignment - 1)) != 0
            ? "is not a multiple of " + alignment
            : "lies outside the region's data, "
                + RegionHeaderLayout.BLOCKS_ADDRESS
                + " to "
                + region.capacityBytes();
    return refuse(
        new InvalidAddressException(
            "address " + address + ", " + lengthBytes + " bytes, " + problem));
  }

  /** The words of a transaction for the allocator, whose addresses are valid. */
  private static final class AllocatorWords implements HeapWords {

    private final Words words;

    AllocatorWords(Words words) {
      this.words = words;
    }

    @Override
    public long get(long address) {
      return words.getUnchecked(address);
    }

    @Override
    public void get(long address, byte[] target, int words) {
      this.words.getRange(address, target, 0, words);
    }

    @Override
    public void put(long address, long value) {
      words.putUnchecked(address, value);
    }

    @Override
    public void prepare(long address) {
      words.prepare(address);
    }

    @Override
    public void freesBlock() {
      // The freed words may get an owner whose readers validate by the stripes of these words.
      words.writes.rows().lockAllStripes();
    }

    @Override
    public void addNode(long node) {
      words.nodeWrites.addFresh(node);
    }

    @Override
    public void putNode(long node, long head) {
      words.nodes.write(node, 0, head);
    }

    @Override
    public void guardPage(long page) {
      words.guardPage(page);
    }

    @Override
    public boolean isAnyNodeWritten(long page) {
      return words.nodeWrites.isAnyIn(page);
    }

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return words.refuse(reason);
    }
  }
}
