package io.howdah.txn.stm;

import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.Region;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Durability;
import io.howdah.txn.RetryException;
import io.howdah.txn.Tx;
import io.howdah.txn.UnfinishedOperationException;
import io.howdah.txn.alloc.HeapSession;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The state of one running transaction, used again by later ones: what it has read, what it will
 * write, and its snapshot.
 *
 * <p>TL2 (Dice, Shalev and Shavit, DISC 2006) with the timestamp extension of TinySTM (Felber,
 * Fetzer and Riegel, PPoPP 2008): every read is validated against the stripe's orec at once, so a
 * body only ever computes on one state of the store, even if it is going to be aborted. Writes stay
 * here until the commit.
 *
 * <p>Used by one thread at a time; {@link ContextPool} hands it on.
 */
public final class TxContext {

  private static final int WORD_SHIFT = 3;
  private static final int STRIPE_SHIFT = Integer.numberOfTrailingZeros(OrecTable.STRIPE_BYTES);
  private static final long NO_GUARD = -1;
  private static final int LINE_WORDS = 8;
  private static final int STRIPE_WORDS = OrecTable.STRIPE_BYTES / Long.BYTES;

  /** In place of a partition, before a commit has left a record. */
  public static final int NO_RECORD = -1;

  /** How long a long reader waits before it looks again at a word that a commit holds. */
  private static final long LOCKED_PARK_NANOS = 20_000;

  /** How often a short reader loses before it is treated like a long one. */
  private static final int PATIENCE = 3;

  private final Engine engine;
  private final Region region;
  private final OrecTable orecs;
  private final CommitLanes lanes;
  private final Execution execution;
  private final long dataWords;
  private final int maxWrites;

  /** The most words that this attempt may write. */
  private int writeLimit;

  public final ReadSet reads = new ReadSet(this::goOnAsSnapshot);
  public final WriteSet writes = new WriteSet();
  final Guards guards = new Guards();
  private final Savepoints savepoints = new Savepoints();
  private final WordRanges ranges;
  final LockList locks = new LockList();
  public final Counters counters;
  final Backoff backoff;
  public final HeapSession heap;
  public final Operations operations = new Operations();
  public final NewObjects newObjects = new NewObjects();

  /** What the layer above keeps here. */
  private ContextAttachment attachment;

  /** Prefers a lane: contexts stay with their threads, so lanes do too. */
  public final int home;

  final CommitProgress progress;

  /** The thread that has taken it to read, until it is given back. */
  public @Nullable Thread holder;

  /** Whether its holder has gone without giving it back: its stack had no room for that. */
  public volatile boolean isLost;

  /** A dense LSN; 0, older than all, in a new context. */
  private long snapshot;

  private long snapshotLimit;

  /** The largest orec that a read need not look into: none while words wait for their replay. */
  private long plainLimit;

  /**
   * What words may wait for; null from the first attempt on that has found all of them replayed.
   */
  private @Nullable DeferredReplay replay;

  private boolean readOnly;

  /** Whether reads show the state at the snapshot by the help of {@link SnapshotHistory}. */
  private boolean isSnapshotOpen;

  /** Whether they did: such reads need no validation. */
  private boolean wasSnapshot;

  /** Whether the attempt had read so much that losing again would be a pity. */
  private boolean wasLong;

  /** How often in a row attempts have lost. */
  private int losses;

  /** Whether the transaction has to know what it has read. */
  private boolean snapshotsBarred;

  /**
   * First of the two orecs of the line read last, and what they held; {@link #NO_GUARD} if its
   * words are not all from memory as it was at one moment.
   */
  private long guardOrec = NO_GUARD;

  private final long[] guardSeen = new long[2];

  /** What has to be done once the attempt has committed. */
  private final ArrayList<AfterCommit> afterCommit = new ArrayList<>(1);

  private @Nullable TxHandle handle;
  private @Nullable AbortCause conflict;
  private @Nullable RuntimeException refusal;
  private @Nullable ExplicitTx explicit;
  private boolean wroteParts;
  private boolean partition;
  private long lsn;
  private int recordPartition;
  private long recordEnd;
  private long recordDependency;
  private long newestMet;
  private @Nullable Hooks hooks;
  private @Nullable TxHandle reusable;
  private TimeLimits.@Nullable Limit limit;
  private boolean retrying;
  private boolean hasty;

  @SuppressWarnings("UnusedVariable") // written so that loads for their cache lines' sake stay
  private long touched;

  public TxContext(Engine engine, int home, Counters counters, ContextAttachment attachment) {
    this.engine = engine;
    this.region = engine.region();
    this.orecs = engine.orecs();
    this.lanes = engine.lanes();
    this.execution = engine.execution();
    this.replay = engine.replay();
    this.dataWords = (region.capacityBytes() - RegionHeaderLayout.BLOCKS_ADDRESS) >>> WORD_SHIFT;
    this.maxWrites = (int) (engine.maxTransactionBytes() >>> WORD_SHIFT);
    this.ranges = new WordRanges(this, region, orecs);
    this.home = home;
    this.attachment = attachment;
    this.progress = new CommitProgress(home);
    this.counters = counters;
    this.heap = new HeapSession(engine.heap(), new ContextWords(this), home);
    this.backoff = new Backoff(execution, home + 1L);
  }

  // ---- Begin and end.

  /** Begins an attempt on the newest state. */
  public Tx begin(boolean readOnly) {
    start(readOnly);
    return handOut(new TxHandle(this));
  }

  private void start(boolean readOnly) {
    reads.clear();
    writes.clear();
    guards.clear();
    guardOrec = NO_GUARD;
    heap.aborted(); // unless nothing was allocated, or that attempt has committed
    operations.start();
    afterCommit.clear();
    boolean hasLost = conflict != null;
    this.readOnly = readOnly;
    wasSnapshot = false;
    writeLimit = readOnly ? 0 : maxWrites;
    long known = Math.max(snapshot, lsn);
    conflict = null;
    refusal = null;
    wroteParts = false;
    lsn = 0;
    progress.isCommitted = false;
    recordPartition = NO_RECORD;
    hooks = null;
    retrying = false;
    losses = hasLost ? losses + 1 : 0;
    if (replay != null && replay.isDone()) {
      replay = null;
    }
    if (readOnly && hasLost && (wasLong || losses >= PATIENCE) && !snapshotsBarred) {
      openSnapshot(); // and does not lose again
    } else {
      // The clock's cache line is the one that all commits fight over, so a transaction begins with
      // the newest value this context knows: its own last commit's LSN or the last snapshot. That
      // is as good as a value read now: a read that meets a newer version moves the snapshot, with
      // no read before it to validate, and one that meets an older version, unlocked, shows that
      // nobody who took an LSN by now has written there (docs/protocol.md, R4a). After a conflict
      // there is something newer for sure.
      moveTo(hasLost ? lanes.clock() : known);
    }
    wasLong = false;
  }

  /** Adopts a snapshot. */
  private void moveTo(long lsn) {
    snapshot = lsn;
    snapshotLimit = OrecTable.limit(lsn);
    // Every orec is larger than this: then each read asks whether its word is replayed, and the
    // others, at all other times, pay nothing for it.
    plainLimit = replay == null ? snapshotLimit : -1;
  }

  /** Begins an attempt with the handle of the last such one: nothing is allocated. */
  public Tx beginAgain() {
    start(false);
    TxHandle tx = reusable;
    if (tx == null) {
      tx = new TxHandle(this);
      reusable = tx;
    }
    tx.begin();
    return handOut(tx);
  }

  private TxHandle handOut(TxHandle tx) {
    handle = tx;
    attachment.begin(tx);
    if (limit != null) {
      limit.guard(tx);
    }
    return tx;
  }

  /** Returns whether the attempt is given up rather than that its commit waits for anything. */
  boolean isHasty() {
    return hasty;
  }

  void hasty(boolean hasty) {
    this.hasty = hasty;
  }

  /** Returns what the layer above keeps here: for the collection that is being called. */
  public ContextAttachment attachment() {
    return attachment;
  }

  public void attach(ContextAttachment attachment) {
    this.attachment = attachment;
  }

  /** Adds an action to run once the attempt has committed; once, however often it is added. */
  public void afterCommit(AfterCommit action) {
    if (!afterCommit.contains(action)) {
      afterCommit.add(action);
    }
  }

  /** Forgets what to do after the commit: the attempt has not committed. */
  public void forgetAfterCommit() {
    afterCommit.clear();
  }

  /** Returns whether the commit has left something to do. */
  public boolean hasAfterCommit() {
    return !afterCommit.isEmpty();
  }

  /** Takes what the commit has left to do. */
  public AfterCommit[] takeAfterCommit() {
    AfterCommit[] taken = afterCommit.toArray(AfterCommit[]::new);
    afterCommit.clear();
    return taken;
  }

  /** Makes the attempt's handle unusable. */
  public void end() {
    if (isSnapshotOpen) {
      StackReserve.require(); // or it might stay open
      isSnapshotOpen = false;
      orecs.history().close();
    }
    TxHandle handle = this.handle;
    if (handle != null) {
      handle.end();
      this.handle = null;
    }
    newObjects.end(progress.isCommitted);
  }

  /** Returns whether this is a context of the store that works on an engine. */
  @SuppressWarnings("ReferenceEquality") // this very engine is meant
  boolean isOf(Engine engine) {
    return this.engine == engine;
  }

  boolean isHandle(Tx tx) {
    return handle == tx;
  }

  /** Gives memory back that an unusually large transaction needed. */
  void trim() {
    reads.trim();
    writes.trim();
    guards.trim();
    locks.trim();
    heap.aborted();
    attachment.trim();
    snapshotsBarred = false;
    wasLong = false;
  }

  /** Returns what the attempt lost by, or null. */
  public @Nullable AbortCause conflict() {
    return conflict;
  }

  /** Records that the attempt lost, and returns what carries this out of the body. */
  public ConflictException conflict(AbortCause cause) {
    conflict = cause;
    end();
    return ConflictException.of(cause);
  }

  /** Returns the exception that ended the transaction inside its body, or null. */
  @Nullable RuntimeException refusal() {
    return refusal;
  }

  /** Ends the transaction because of a call that cannot be served. */
  public RuntimeException refuse(RuntimeException reason) {
    refusal = reason;
    end();
    return reason;
  }

  /** Refuses to commit a part of an operation that something has broken off. */
  void requireFinishedOperations() {
    if (operations.open() != 0 || writes.isBroken()) {
      throw refuse(
          new UnfinishedOperationException(
              "an error broke off an operation of a collection, an object or a block, and the body"
                  + " caught it and went on; nothing of the transaction has happened. Let errors"
                  + " pass, or roll back to a savepoint taken before the operation"));
    }
  }

  /** Ends the transaction because an exception left a part of it, unless it has ended already. */
  void refuseAfter(Tx tx, Throwable thrown) {
    if (isHandle(tx) && !(retrying && thrown instanceof RetryException)) {
      refuse(
          new TransactionStateException(
              "the transaction has ended because an exception left a part of it: " + thrown,
              thrown));
    }
  }

  /** Returns the transaction's time limit, or null. */
  public TimeLimits.@Nullable Limit limit() {
    return limit;
  }

  /** Returns the transaction's time limit, or null, and forgets it. */
  public TimeLimits.@Nullable Limit takeLimit() {
    TimeLimits.Limit limit = this.limit;
    if (limit != null) {
      this.limit = null;
    }
    return limit;
  }

  public void limit(TimeLimits.@Nullable Limit limit) {
    this.limit = limit;
  }

  /** Returns what ends the transaction's waits. */
  public Deadline deadline() {
    TimeLimits.Limit limit = this.limit;
    return limit == null ? Deadline.NONE : limit;
  }

  /** Ends the transaction if its time limit is over. */
  void failIfExpired() {
    TimeLimits.Limit limit = this.limit;
    if (limit != null && limit.isOver()) {
      throw refuse(limit.exception());
    }
  }

  /** Returns whether the attempt wants to wait for a change of what it has read. */
  boolean isRetrying() {
    return retrying;
  }

  void retrying(boolean retrying) {
    this.retrying = retrying;
  }

  TakenSavepoint savepoint(Tx tx) {
    if (!writes.isMarked()) {
      savepoints.clear(); // they were an earlier attempt's
    }
    long mark = writes.mark();
    int place = savepoints.count();
    return new TakenSavepoint(
        tx,
        mark,
        guards.count(),
        hooks == null ? 0 : hooks.mark(),
        operations.open(),
        newObjects.count(),
        place,
        savepoints.add());
  }

  /** Returns whether the attempt has taken a savepoint, and not gone back to one before it. */
  boolean has(TakenSavepoint savepoint) {
    return writes.isMarked() && savepoints.has(savepoint.place(), savepoint.number());
  }

  void rollBack(TakenSavepoint savepoint) {
    operations.begin(); // an error may leave some of what follows undone
    savepoints.rollBack(savepoint.place());
    writes.rollBack(savepoint.writes());
    guards.rollBack(savepoint.guards());
    heap.rolledBack();
    newObjects.rollBack(savepoint.newObjects());
    if (hooks != null) {
      hooks.rollBack(savepoint.hooks());
    }
    operations.rolledBack(savepoint.openOperations());
  }

  /** Returns the dense LSN of the commit; without writes, the largest that was read. */
  public long lsn() {
    return lsn;
  }

  public void lsn(long lsn) {
    this.lsn = lsn;
  }

  /** Returns whether its user asks for {@link Durability#PARTITION}. */
  boolean isPartition() {
    return partition;
  }

  public void partition(boolean partition) {
    this.partition = partition;
  }

  /** Returns the attempt's hooks, making them if there are none yet. */
  Hooks hooks() {
    Hooks hooks = this.hooks;
    if (hooks == null) {
      hooks = new Hooks();
      this.hooks = hooks;
    }
    return hooks;
  }

  /** Takes the hooks of the attempt that counts; null if it has none. */
  public @Nullable Hooks takeHooks() {
    Hooks taken = hooks;
    hooks = null;
    return taken;
  }

  /** Notes where the commit's redo record stands. */
  void record(int partition, long end, long dependency) {
    recordPartition = partition;
    recordEnd = end;
    recordDependency = dependency;
  }

  /**
   * Notes the newest version, packed, that the commit has met and that is not stable; 0 for none.
   */
  void newestMet(long version) {
    newestMet = version;
  }

  long newestMet() {
    return newestMet;
  }

  /** Returns the partition that holds the commit's record, or {@link #NO_RECORD}. */
  public int recordPartition() {
    return recordPartition;
  }

  /** Returns the record's end: forced up to here, its partition holds it. */
  public long recordEnd() {
    return recordEnd;
  }

  /** Returns the dense LSN that has to be stable for the record to count; 0 for none. */
  public long recordDependency() {
    return recordDependency;
  }

  /** Returns the dense LSN of the snapshot: all reads show the state that this commit left. */
  long snapshot() {
    return snapshot;
  }

  long snapshotLimit() {
    return snapshotLimit;
  }

  /** Returns the transaction that its user has to end, or null if a body runs. */
  public @Nullable ExplicitTx explicit() {
    return explicit;
  }

  public void explicit(@Nullable ExplicitTx explicit) {
    this.explicit = explicit;
  }

  /** Returns whether the attempt has put parts of itself into the log. */
  boolean wroteParts() {
    return wroteParts;
  }

  void willWriteParts() {
    wroteParts = true;
  }

  /** Takes what was loaded for its cache line alone, so that the load is not optimised away. */
  void touched(long words) {
    touched = words;
  }

  /** Returns the dense LSN of the newest commit that the transaction read from; 0 for none. */
  long newestRead() {
    if (wasSnapshot) {
      return snapshot;
    }
    long newest = 0;
    for (int i = 0; i < reads.count(); i++) {
      newest = Math.max(newest, reads.seen(i));
    }
    return Lsn.dense(OrecTable.version(newest));
  }

  // ---- Words.

  /** Reads a word of the application's part of the region. */
  public long get(long address) {
    requireWord(address);
    return getUnchecked(address);
  }

  /** Reads many words of the application's part of the region. */
  public void get(long[] addresses, long[] values) {
    // First only load what will be needed: so little per word that all misses are under way at
    // once, where a validated read is so long that the processor sees no further than the next.
    long touched = 0;
    for (long address : addresses) {
      requireWord(address);
      touched ^= orecs.getOpaque(orecs.of(address)) ^ region.getLongOpaque(address);
    }
    touched(touched);
    for (int i = 0; i < addresses.length; i++) {
      values[i] = getUnchecked(addresses[i]);
    }
  }

  /** Reads a word, the region's header included, whose address is known to be good. */
  public long getUnchecked(long address) {
    if (writes.mayContain(address)) {
      int entry = writes.find(address);
      if (entry >= 0) {
        return writes.value(entry);
      }
    }
    long orec = orecs.of(address);
    // The pair of orec loads brackets the data load: acquire before, an acquire fence after, since
    // a second load-acquire would not keep the data load above it (docs/protocol.md, section 7).
    // Pairs with the commit's store-store fence before its data stores and its release of the orec.
    long before = orecs.getAcquire(orec);
    long value = region.getLongOpaque(address);
    VarHandle.acquireFence();
    long after = orecs.getOpaque(orec);
    if (before == after && !OrecTable.isLocked(before) && before <= plainLimit) {
      reads.add(orec, before);
      return value;
    }
    return getContended(address, orec);
  }

  /** Reads words one after the other, whose addresses are known to be good, into bytes. */
  public void getRange(long address, byte[] target, int offset, int words) {
    ranges.get(address, target, offset, words);
  }

  /** Returns whether what was read between two looks at an orec is a part of the snapshot. */
  boolean isReadable(long before, long after) {
    return before == after && !OrecTable.isLocked(before) && before <= plainLimit;
  }

  /** Reads the 8 words of a cache line, whose address is known to be good. */
  public void getLine(long address, long[] line) {
    long orec = orecs.of(address);
    // Orders as in getWithinLine.
    long first = orecs.getAcquire(orec);
    long second = orecs.getAcquire(orec + 1);
    region.getLongs(address, line, LINE_WORDS);
    VarHandle.acquireFence();
    if (isReadable(first, orecs.getOpaque(orec)) && isReadable(second, orecs.getOpaque(orec + 1))) {
      guardOrec = orec;
      guardSeen[0] = first;
      guardSeen[1] = second;
      reads.add(orec, first, second);
    } else {
      guardOrec = NO_GUARD;
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
   * Reads words that nobody writes without {@linkplain #guard guarding} a word of the line read
   * last, one which has not been written by this transaction: so the line's orec, which is in the
   * cache and in the read set already, tells whether they belong to the snapshot.
   *
   * @param slot address of the line's word
   * @return false if that is not known, and the words have to be read by their own orecs
   */
  public boolean getGuarded(long address, byte[] target, int words, long slot) {
    if (guardOrec == NO_GUARD || writes.mayContain(slot)) {
      return false;
    }
    region.getBytes(address, target, 0, words << WORD_SHIFT);
    // As behind every read of data: pairs with the store-store fence between a commit's locks and
    // its stores, or those of one that got the words after that (docs/protocol.md, section 7).
    VarHandle.acquireFence();
    int which = (int) (slot >>> STRIPE_SHIFT) & 1; // unpredictable, so no branch
    if (orecs.getOpaque(guardOrec + which) != guardSeen[which]) {
      return false;
    }
    if (writes.count() != 0) {
      ranges.overlay(address, target, 0, words);
    }
    return true;
  }

  /**
   * Returns whether a word that this transaction has read, and not written, is still as its
   * snapshot has it. What was read before with acquire, or before an acquire fence, was read while
   * it was.
   */
  public boolean isCurrent(long address) {
    long word = orecs.getAcquire(orecs.of(address));
    return !OrecTable.isLocked(word) && word <= snapshotLimit;
  }

  /**
   * Has the commit lock the orec of a word as if it wrote it, and give it the commit's version: for
   * the sake of those who read other words by {@link #getGuarded}. A write of another word that the
   * transaction has not written before has to follow: so there are no more guards than words
   * written, of which the number is limited.
   */
  public void guard(long address) {
    guards.add(address);
  }

  /** Returns whether the transaction has written a word. */
  public boolean hasWritten(long address) {
    return writes.mayContain(address) && writes.find(address) >= 0;
  }

  private void overlayLine(long address, long[] line) {
    for (int stripe = 0; stripe < LINE_WORDS; stripe += STRIPE_WORDS) {
      if (!writes.mayContain(address + ((long) stripe << WORD_SHIFT))) {
        continue; // as good for its other words
      }
      for (int i = stripe; i < stripe + STRIPE_WORDS; i++) {
        int entry = writes.find(address + ((long) i << WORD_SHIFT));
        line[i] = entry >= 0 ? writes.value(entry) : line[i];
      }
    }
  }

  /**
   * Has memory ready behind a page that was never used. A read would not do: it maps a page to be
   * shared, and the first write then takes another, and has all processors forget the first. This
   * one changes nothing, whatever others do there.
   */
  public void prepare(long address) {
    region.compareAndSetLong(address, 0, 0);
  }

  /**
   * Returns what a word holds just now, whatever the snapshot: good for nothing but a guess how
   * much to read.
   */
  public long peek(long address) {
    return region.getLongOpaque(address);
  }

  /**
   * Reads a word that never changes once it is not 0, and that the commit which allowed for its
   * reader has written; 0 if it has to be read like any other.
   */
  public long getConstant(long address) {
    return isSnapshotOpen || replay != null ? 0 : region.getLongAcquire(address);
  }

  /**
   * Reads a word that only grows, without a conflict if it does: what comes may be older than the
   * snapshot, or newer, unless the transaction reads a snapshot that is kept or the log is still
   * being replayed, when it is read like any other. Whoever sees a number also sees the orecs
   * locked of all that was written with it: the acquire load pairs with the store-store fence
   * between the locks and the stores of a commit.
   */
  public long getGuess(long address) {
    if (isSnapshotOpen || replay != null) {
      return getUnchecked(address);
    }
    int entry = writes.mayContain(address) ? writes.find(address) : -1;
    return entry >= 0 ? writes.value(entry) : region.getLongAcquire(address);
  }

  /** Returns a buffer of some KiB for what is copied part by part. */
  byte[] part() {
    return ranges.part();
  }

  /** Writes words one after the other, whose addresses are known to be good, from bytes. */
  public void putRange(long address, byte[] source, int offset, int words) {
    writes.reserve(Math.clamp(writeLimit - (long) writes.count(), 0, words));
    ranges.put(address, source, offset, words);
  }

  // ---- Long reads.

  /** Makes sure that what has been read is known, to wait for a change of it. */
  void requireReads() {
    if (wasSnapshot) {
      snapshotsBarred = true;
      throw conflict(AbortCause.EXTENSION);
    }
  }

  /** Fixes the snapshot at the present; what is overwritten from now on is kept. */
  private void openSnapshot() {
    StackReserve.require(); // or it might stay open
    moveTo(orecs.history().open(lanes::clock));
    isSnapshotOpen = true;
    wasSnapshot = true;
    reads.forget();
  }

  /** A read-only transaction has become long: if it is still current, it goes on as a snapshot. */
  private void goOnAsSnapshot() {
    wasLong = true;
    if (!readOnly || isSnapshotOpen || snapshotsBarred) {
      return;
    }
    StackReserve.require(); // or it might stay open
    long now = orecs.history().open(lanes::clock);
    isSnapshotOpen = true;
    snapshot = now; // so that end() closes this one
    // As in extend: the clock first, then the validation. What it finds current is the state at
    // now,
    // except that commits up to now may still hold locks: their stripes count as changed.
    if (!areReadsCurrent()) {
      throw conflict(AbortCause.EXTENSION);
    }
    moveTo(now);
    wasSnapshot = true;
    reads.forget();
  }

  /** Reads a word as the open snapshot has it, waiting for a commit that holds it. */
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
        execution.parkNanos(this, LOCKED_PARK_NANOS);
      }
    }
  }

  /** Reads a word that is being written, was written after the snapshot, or may not be replayed. */
  private long getContended(long address, long orec) {
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
      if (++spins > patience()) {
        throw conflict(AbortCause.LOCKED);
      }
      execution.spinWait();
    }
  }

  /**
   * Returns how often the attempt looks again at an orec that is locked: the longer, the more would
   * have to be repeated. It holds no lock meanwhile.
   */
  int patience() {
    return Backoff.MAX_SPINS + Math.min(reads.count() + writes.count(), Backoff.MAX_MORE_SPINS);
  }

  /** Returns once a word is there that the opening has left in the log. */
  private void requireReplayed(long address) {
    DeferredReplay replay = this.replay;
    if (replay != null) {
      replay.require(address);
    }
  }

  /** Returns once all words that will be written are there that the opening has left in the log. */
  void requireWritesReplayed() {
    if (replay != null) {
      for (int i = 0, n = writes.count(); i < n; i++) {
        requireReplayed(writes.address(i));
      }
    }
  }

  /** Moves the snapshot to the present, if what was read still stands there. */
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

  /** Returns whether every orec read still holds what it held; no orec is locked by this one. */
  boolean areReadsCurrent() {
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

  /** Writes a word of the application's part of the region. */
  void put(long address, long value) {
    requireWord(address);
    putUnchecked(address, value);
  }

  /** Writes a word, the region's header included, whose address is known to be good. */
  public void putUnchecked(long address, long value) {
    writes.put(address, value);
    requireRoom();
  }

  /** Ends the transaction if it has written more than it may. */
  void requireRoom() {
    if (writes.count() > writeLimit) {
      throw refuse(tooMany());
    }
  }

  private RuntimeException tooMany() {
    if (engine.isReadOnly()) {
      return new ReadOnlyStoreException(
          "the store is open for reading only; open it without StoreOptions.readOnly to change it");
    }
    return writeLimit == 0
        ? new TransactionStateException(
            "a read-only transaction cannot write; use run, call or submit")
        : new TransactionTooLargeException(
            "the transaction writes more than "
                + ((long) maxWrites << WORD_SHIFT)
                + " bytes; split it, or raise StoreOptions.maxTransactionBytes");
  }

  /**
   * Returns what to throw because words read past the orecs make no sense: a conflict, if what was
   * read before is no longer current.
   */
  public RuntimeException senseless(long address, String what) {
    if (!areReadsCurrent()) {
      return conflict(AbortCause.VALIDATION);
    }
    return refuse(
        new CorruptStoreException(
            "region",
            address,
            what + " is damaged; verify the store, and restore it from a backup"));
  }

  // ---- Addresses.

  /** Returns whether an address is that of a cache line of the application's part of the region. */
  public boolean isLine(long address) {
    return (address & (LINE_WORDS * Long.BYTES - 1)) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address < region.capacityBytes();
  }

  /** Returns whether a block of some bytes can be at an address. */
  public boolean isBlock(long address, int bytes) {
    return (address & 15) == 0
        && address >= RegionHeaderLayout.BLOCKS_ADDRESS
        && address <= region.capacityBytes() - bytes;
  }

  /** Returns 64 random bits that nobody outside can guess. */
  public long randomLong() {
    return execution.randomLong();
  }

  /** Returns whether the attempt must not write. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /** Returns the region's capacity in bytes. */
  public long capacityBytes() {
    return region.capacityBytes();
  }

  private void requireWord(long address) {
    // One unsigned comparison checks all: a misaligned or negative distance rotates to a huge one.
    long word = Long.rotateRight(address - RegionHeaderLayout.BLOCKS_ADDRESS, WORD_SHIFT);
    if (Long.compareUnsigned(word, dataWords) >= 0) {
      throw invalidAddress(address, Long.BYTES, Long.BYTES);
    }
  }

  /** Checks a field of 1, 2, 4 or 8 bytes. */
  void requireField(long address, int lengthBytes) {
    if ((address & (lengthBytes - 1)) != 0) {
      throw invalidAddress(address, lengthBytes, lengthBytes);
    }
    requireWord(address & -Long.BYTES);
  }

  /** Checks a range of any alignment. */
  void requireRange(long address, long lengthBytes) {
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
}
