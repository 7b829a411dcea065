package io.howdah.txn.words;

import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.Region;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.AbortCause;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.alloc.HeapWords;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one running transaction reads and writes; reused by later transactions. Access is by
 * address, or through the allocator. Writes stay in the write set until the commit, and reads show
 * them. The read set and the snapshot are kept consistent by validation, by extension, and by
 * snapshots that are kept open for long readers.
 *
 * <p>TL2 (Dice, Shalev and Shavit, DISC 2006) with the timestamp extension of TinySTM (Felber,
 * Fetzer and Riegel, PPoPP 2008): every read is validated against the stripe's orec at once, so a
 * body only ever computes on one state of the store, even if its attempt is aborted later.
 *
 * <p>One object, so that a read finds all that it needs in the fields of one object. Whether the
 * attempt commits, waits or ends is decided elsewhere: {@link Ending} is the way there. Used by one
 * thread at a time.
 */
public final class Words {

  /** Longest park of a long reader that meets a locked word. */
  private static final long LOCKED_PARK_NANOS = 20_000;

  /** A short reader that has lost this often reads a kept snapshot, like a long one. */
  private static final int MAX_LOSSES = 3;

  /** Maximum number of loads of a locked orec, before a read or a commit gives up. */
  private static final int MAX_SPINS = 50;

  /**
   * Maximum number of further loads, for a transaction with many reads and writes: about as long as
   * a large commit takes.
   */
  private static final int MAX_MORE_SPINS = 2000;

  private static final long[] NO_ORECS = {};

  private final Region region;
  private final OrecTable orecs;

  /** The orecs, if they are in an array, else an empty array; see {@link OrecTable#array}. */
  private final long[] orecArray;

  private final int orecShift;
  private final LongSupplier clock;
  private final Execution execution;
  private final Counters counters;
  private final Ending ending;

  /** What waits for the replay ask from time to time. */
  private final Runnable failIfExpired;

  public final ReadSet reads = new ReadSet(this::continueOnKeptSnapshot);
  public final WriteSet writes;
  public final HeapSession heap;
  public final Operations operations = new Operations();
  public final NewObjects newObjects = new NewObjects();

  /** Tells the words from the others of their store, which other threads use. */
  public final int id;

  private final Savepoints savepoints = new Savepoints();

  /** Actions for after the commit, in the order in which they were added. */
  private final ArrayList<AfterCommit> afterCommit = new ArrayList<>(1);

  /** State of the layer above. */
  private WordsAttachment attachment;

  /** Replays words that the opening left in the log; null once all of them are replayed. */
  private @Nullable DeferredReplay replay;

  /** The dense LSN of the snapshot; 0, older than all, before the first attempt. */
  private long snapshot;

  private long snapshotLimit;

  /**
   * The largest orec that the fast path of a read accepts: {@link #snapshotLimit}, or -1 while
   * words wait for their replay.
   */
  private long plainLimit;

  private boolean readOnly;

  /** Whether reads show the state at the snapshot with the help of {@link SnapshotHistory}. */
  private boolean isSnapshotOpen;

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

  private static final int WORD_SHIFT = 3;
  private static final int STRIPE_SHIFT = Integer.numberOfTrailingZeros(OrecTable.STRIPE_BYTES);
  private static final long NO_GUARD = -1;
  private static final int LINE_WORDS = 8;

  /** How many words {@link #get(long[], long[])} reads at once. */
  private static final int AT_ONCE = 64;

  private static final int CACHE_LINE_BYTES = 64;

  /** One orec for so many bytes is loaded in advance: at least one in each of their cache lines. */
  private static final int ORECS_BYTES = OrecTable.LINE_BYTES / 2;

  private static final int STRIPE_WORDS = OrecTable.STRIPE_BYTES / Long.BYTES;

  /**
   * How often a slow path calls itself before it begins: one time more than the compiler inlines a
   * method into itself. So it stays a call where it is rarely needed. Otherwise one transaction
   * with many writes, which needs it often, would have it inlined into each read and write of the
   * program. Those would then be too large to be inlined themselves, and a processor overlaps the
   * cache misses of only so many instructions.
   */
  private static final int UNINLINED = 2;

  public final Guards guards = new Guards();
  private final WordRanges ranges;
  private final long dataWords;
  private final int maxWrites;

  /** Maximum number of words that this attempt may write. */
  private int writeLimit;

  /**
   * First of the two orecs of the line read last, and what they held; {@link #NO_GUARD} if its
   * words do not all come from memory as it was at one moment.
   */
  private long guardOrec = NO_GUARD;

  private final long[] guardSeen = new long[2];

  @SuppressWarnings("UnusedVariable") // written so that loads for their cache lines' sake stay
  private long touched;

  /**
   * Creates the words of one transaction at a time.
   *
   * @param id tells them from the others of the store
   * @param counters counts extensions of the snapshot
   * @param attachment state of the layer above
   * @param ending ends the attempt that uses the words
   */
  public Words(
      SharedMemory memory, int id, Counters counters, WordsAttachment attachment, Ending ending) {
    this.id = id;
    this.ending = ending;
    this.failIfExpired = ending::failIfExpired;
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
    this.heap = new HeapSession(memory.heap(), new AllocatorWords(this), id);
  }

  // ---- The attempt that uses the words.

  /** Begins an attempt without reads, writes or allocations, on the newest state. */
  public void begin(boolean readOnly, boolean hasLost, long lastCommit) {
    heap.aborted(); // no effect if nothing was allocated, or if the last attempt has committed
    operations.start();
    afterCommit.clear();
    writes.clear();
    guards.clear();
    guardOrec = NO_GUARD;
    writeLimit = readOnly ? 0 : maxWrites;
    writes.limit(writeLimit);
    beginReads(readOnly, hasLost, lastCommit);
  }

  /** Prepares for an unrelated transaction; gives memory back that a large one needed. */
  public void trim() {
    newObjects.trim();
    reads.trim();
    snapshotsBarred = false;
    wasLong = false;
    writes.trim();
    guards.trim();
    heap.aborted();
    attachment.trim();
  }

  /** Ends the transaction because of a call that cannot be served; returns what to throw. */
  public RuntimeException refuse(RuntimeException reason) {
    return ending.refuse(reason);
  }

  /** Returns the state of the layer above. */
  public WordsAttachment attachment() {
    return attachment;
  }

  public void attach(WordsAttachment attachment) {
    this.attachment = attachment;
  }

  /** Adds an action to run once the attempt has committed; once, however often it is added. */
  public void afterCommit(AfterCommit action) {
    if (!afterCommit.contains(action)) {
      afterCommit.add(action);
    }
  }

  /** Drops the actions for after the commit, since the attempt has not committed. */
  public void forgetAfterCommit() {
    afterCommit.clear();
  }

  /** Returns whether there are actions for after the commit. */
  public boolean hasAfterCommit() {
    return !afterCommit.isEmpty();
  }

  /** Removes and returns the actions for after the commit. */
  public AfterCommit[] takeAfterCommit() {
    AfterCommit[] actions = afterCommit.toArray(AfterCommit[]::new);
    afterCommit.clear();
    return actions;
  }

  /** Returns whether an error has broken off an operation of the attempt in the middle. */
  public boolean hasBrokenOperation() {
    return operations.open() != 0 || writes.isBroken();
  }

  /**
   * Returns where the attempt is now, to come back to.
   *
   * @param hooks how many hooks the attempt has, for {@link Savepoints.Taken#hooks}
   */
  public Savepoints.Taken savepoint(Tx tx, long hooks) {
    if (!writes.isUndoable()) {
      savepoints.clear(); // these belong to an earlier attempt
    }
    long position = writes.position();
    int place = savepoints.count();
    return new Savepoints.Taken(
        tx,
        position,
        guards.count(),
        hooks,
        operations.open(),
        newObjects.count(),
        place,
        savepoints.add());
  }

  /** Returns whether the attempt has taken a savepoint and not rolled back to an earlier one. */
  public boolean has(Savepoints.Taken savepoint) {
    return writes.isUndoable() && savepoints.has(savepoint.place(), savepoint.number());
  }

  /** Undoes what the attempt has done since a savepoint. */
  public void rollBack(Savepoints.Taken savepoint) {
    savepoints.rollBack(savepoint.place());
    writes.rollBack(savepoint.writes());
    guards.rollBack(savepoint.guards());
    heap.rolledBack();
    newObjects.rollBack(savepoint.newObjects());
  }

  // ---- The snapshot.

  /**
   * Begins the reads of an attempt.
   *
   * @param hasLost whether the attempt before this one lost
   * @param lastCommit LSN of the last commit of these words; 0 for none
   */
  void beginReads(boolean readOnly, boolean hasLost, long lastCommit) {
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
      // that these words know: their own last commit's LSN, or their last snapshot. The result is
      // the
      // same as with a value read now (docs/protocol.md, R4a): a read that meets a newer version
      // moves the snapshot, with no read before it to validate. A read that meets an older version,
      // unlocked, shows that no commit with an LSN taken by now has written there. After a conflict
      // there is certainly something newer.
      moveTo(hasLost ? clock.getAsLong() : Math.max(snapshot, lastCommit));
    }
    wasLong = false;
  }

  /**
   * Has the next attempt begin no earlier than with an LSN that was taken; between two attempts.
   */
  public void haveSeen(long lsn) {
    if (lsn > snapshot) {
      moveTo(lsn);
    }
  }

  /** Closes the snapshot that the attempt has kept open, if it has. */
  public void endReads() {
    if (isSnapshotOpen) {
      StackReserve.require(); // or it might stay open
      isSnapshotOpen = false;
      orecs.history().close();
    }
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
  public long snapshot() {
    return snapshot;
  }

  public long snapshotLimit() {
    return snapshotLimit;
  }

  /** Returns whether reads show the state at the snapshot with the help of the history. */
  public boolean isSnapshotOpen() {
    return isSnapshotOpen;
  }

  /** Returns the dense LSN of the newest commit that the transaction read from; 0 for none. */
  public long newestRead() {
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
  boolean isReadable(long before, long after) {
    return before == after && !OrecTable.isLocked(before) && before <= plainLimit;
  }

  /**
   * Returns whether a word that this transaction has read, and not written, still has the value of
   * the snapshot. Loads with acquire, and loads before an acquire fence, that come before this call
   * were made while it had that value.
   */
  public boolean isCurrent(long address) {
    long word = orecs.getAcquire(orecs.of(address));
    return !OrecTable.isLocked(word) && word <= snapshotLimit;
  }

  // ---- Long reads.

  /**
   * Makes sure that the read set is complete, so that the transaction can wait for a change of it.
   */
  public void requireReadSet() {
    if (wasSnapshot) {
      snapshotsBarred = true;
      lacksReadSet = true;
      throw ending.conflict(AbortCause.EXTENSION);
    }
  }

  /**
   * Returns whether the attempt has lost to no other transaction, but for want of a read set. The
   * next one keeps it.
   */
  public boolean lacksReadSet() {
    return lacksReadSet;
  }

  /** Moves the snapshot to the present, and has commits keep what they overwrite from now on. */
  private void openSnapshot() {
    StackReserve.require(); // or it might stay open
    moveTo(orecs.history().open(clock));
    isSnapshotOpen = true;
    wasSnapshot = true;
    reads.forget();
  }

  /**
   * Keeps the snapshot of a read-only transaction that has become long, if its reads are current.
   */
  private void continueOnKeptSnapshot() {
    wasLong = true;
    if (!readOnly || isSnapshotOpen || snapshotsBarred || ending.isRetrying()) {
      return; // who is going to wait for a change has to know what it has read
    }
    StackReserve.require(); // or it might stay open
    long now = orecs.history().open(clock);
    isSnapshotOpen = true;
    // As in extend: the clock first, then the validation. The reads that it finds current show the
    // state at now. Commits up to now may still hold locks; their stripes count as changed.
    if (!areReadsCurrent()) {
      throw ending.conflict(AbortCause.EXTENSION);
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
      if (spins < MAX_SPINS) {
        execution.spinWait();
      } else {
        ending.failIfStopped(); // a commit that broke off leaves its orecs locked
        execution.parkThroughInterrupt(this, LOCKED_PARK_NANOS);
      }
    }
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
        throw ending.conflict(AbortCause.LOCKED);
      }
      execution.spinWait();
    }
  }

  /**
   * Returns how many times the attempt reads a locked orec again before it gives up. An attempt
   * with many accesses waits longer, since it would have to repeat them. It holds no lock while it
   * waits.
   */
  public int spinLimit() {
    return MAX_SPINS + Math.min(reads.count() + writes.count(), MAX_MORE_SPINS);
  }

  /**
   * Waits until a word is replayed that the opening has left in the log. While a part of the log is
   * still to be read this takes seconds, so the transaction's time limit ends it, too.
   */
  private void requireReplayed(long address) {
    DeferredReplay replay = this.replay;
    if (replay != null) {
      replay.require(address, failIfExpired);
    }
  }

  /** Waits until every word of the write set is replayed. */
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
    }
  }

  /** Moves the snapshot to the present, if all reads are current. */
  private void extend() {
    // The clock is read first, then validated, then adopted (R4): a commit between the two loads
    // either fails the validation or is newer than the snapshot adopted.
    long now = clock.getAsLong();
    if (!areReadsCurrent()) {
      throw ending.conflict(AbortCause.EXTENSION);
    }
    counters.increment(Counters.EXTENSIONS);
    moveTo(now);
  }

  /**
   * Returns whether every orec in the read set still holds what it held. For a transaction that has
   * locked none itself.
   */
  public boolean areReadsCurrent() {
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

  /** Uses words that were loaded only for their cache lines, so that the loads stay. */
  public void touched(long words) {
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
   * section 7). The loops that load are so short that the processor has all cache misses of both
   * under way at once. A read of one word is so long that it sees no further than the next ones.
   *
   * @return how many words, from the first one on, are read and belong to the snapshot; the rest
   *     has to be read one by one
   */
  private int getAtOnce(long[] addresses, long[] values, int from, int count) {
    long[] noted = reads.entries();
    int end = reads.end();
    noteOrecs(addresses, from, count, noted, end);
    region.getLongs(addresses, values, from, count); // for the sake of their cache lines
    long[] array = orecs.array();
    noteSeen(array, count, noted, end);
    // Together with the loads of the orecs, an acquire: the words are not read before.
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

  /** Returns how many words, from the first one on, are not written and belong to the snapshot. */
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
    // The array is in a local variable, since fields are loaded again behind each acquire. The slow
    // paths are calls whose results are returned as they are, so that nothing is kept for them.
    long[] array = orecArray;
    int orec = OrecTable.of(address, orecShift);
    // The comparison is that of the array access, so the compiler makes one of the two.
    if (Integer.compareUnsigned(orec, array.length) >= 0 || writes.isInFilter(orec)) {
      return getSlowly(address, 0);
    }
    // The pair of orec loads brackets the data load: acquire before, an acquire fence after, since
    // a second load-acquire would not keep the data load above it (docs/protocol.md, section 7).
    // Pairs with the commit's store-store fence before its data stores and its release of the orec.
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
    // The same order of loads as in getUnchecked.
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
   * Reads words that every writer {@linkplain #guard guards} by a word of the line read last. The
   * orec of that word is in the cache and in the read set already, and it shows whether the words
   * belong to the snapshot.
   *
   * @param slot address of the guarding word
   * @return false if the orec does not show it, or if this transaction may have written the
   *     guarding word; then the caller reads the words by their own orecs
   */
  public boolean getGuarded(long address, byte[] target, int words, long slot) {
    if (guardOrec == NO_GUARD || writes.mayContain(slot)) {
      return false;
    }
    region.getBytes(address, target, 0, words << WORD_SHIFT);
    // As after every read of data: pairs with the store-store fence between the locks and the
    // stores of the commit that wrote these words (docs/protocol.md, section 7).
    VarHandle.acquireFence();
    int which = (int) (slot >>> STRIPE_SHIFT) & 1; // a branch would be unpredictable
    if (orecs.getOpaque(guardOrec + which) != guardSeen[which]) {
      return false;
    }
    if (writes.count() != 0) {
      ranges.overlay(address, target, 0, words);
    }
    return true;
  }

  /**
   * Makes the commit lock the orec of a word and give it the commit's version, as if it wrote the
   * word. Readers that read other words by {@link #getGuarded} then see a change. The caller must
   * write another word afterwards that the transaction has not written before. So there are at most
   * as many guards as written words, and the number of those is limited.
   */
  public void guard(long address) {
    guards.add(address);
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
   * Gets memory for a page that was never used. A read is not enough: it maps a shared page of
   * zeros, which the first write replaces with an interrupt of all processors. The compare-and-set
   * changes no value, whatever other threads do there.
   */
  public void prepare(long address) {
    region.compareAndSetLong(address, 0, 0);
  }

  /**
   * Loads the cache lines of a word and of its orec, which will be read soon: the misses of several
   * words then overlap. Returns the word's present value, for a guess what to load next.
   */
  public long preload(long address) {
    long word = region.getLongOpaque(address);
    touched ^= word ^ orecs.getOpaque(orecs.of(address));
    return word;
  }

  /**
   * Loads the cache lines of a small block that will be read soon, and of its orecs. A hint, like
   * the others here.
   *
   * @param block its words have valid addresses
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
   * Loads the cache lines of words that will be read soon, and of their orecs: the misses of all of
   * them overlap. A hint, which changes nothing that a read returns.
   *
   * @param addresses the first {@code count} are valid addresses of words
   * @param sink receives present values, which mean nothing
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

  /** Likewise, without the orecs, for words that will be read by an orec loaded before. */
  public void preloadWords(long[] addresses, int count, long[] sink) {
    region.getLongs(addresses, sink, 0, count);
  }

  /** Reads present values from an address on, as {@link #peek(long)} does. */
  public void peek(long address, long[] words, int count) {
    region.getLongs(address, words, count);
  }

  /**
   * Returns the present value of a word, whatever the snapshot. Use it only to guess how much to
   * read.
   */
  public long peek(long address) {
    return region.getLongOpaque(address);
  }

  /**
   * Reads a write-once word without validation. The commit that made the word reachable must also
   * have written it. Returns 0 if the word is unset, or if it has to be read like any other.
   */
  public long getConstant(long address) {
    return isSnapshotOpen || replay != null ? 0 : region.getLongAcquire(address);
  }

  /**
   * Reads a word that only grows, without a conflict if it grows. The value may be older or newer
   * than the snapshot. A transaction with a kept snapshot reads the word like any other, and so
   * does every transaction while the log is being replayed. A reader that sees a number also sees
   * the locked orecs of all words that were written with it: the acquire load pairs with the
   * store-store fence between the locks and the stores of a commit.
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

  /** Makes room for words that the transaction is going to write. */
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
   * Writes a word that the transaction may have written already, or one of many.
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
   * Ends the transaction if it has written more than it may.
   *
   * @param isWritten false if a word found no room
   */
  void requireRoom(boolean isWritten) {
    if (!isWritten || writes.count() > writeLimit) {
      throw refuse(tooMany());
    }
  }

  private RuntimeException tooMany() {
    if (maxWrites == 0) {
      return new ReadOnlyStoreException(
          "the store is open for reading only; open it without readOnly (--read-only) to change it");
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
    // One unsigned comparison is enough: a misaligned or negative distance rotates to a huge value.
    long word = Long.rotateRight(address - RegionHeaderLayout.BLOCKS_ADDRESS, WORD_SHIFT);
    if (Long.compareUnsigned(word, dataWords) >= 0) {
      throw invalidAddress(address, Long.BYTES, Long.BYTES);
    }
  }

  /** Verifies the address of a field of 1, 2, 4 or 8 bytes. */
  public void requireField(long address, int lengthBytes) {
    if ((address & (lengthBytes - 1)) != 0) {
      throw invalidAddress(address, lengthBytes, lengthBytes);
    }
    requireWord(address & -Long.BYTES);
  }

  /** Verifies the addresses of a range of any alignment. */
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

  /** A transaction's words, for the allocator, whose own addresses need no checks. */
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
    public RuntimeException refuse(RuntimeException reason) {
      return words.refuse(reason);
    }
  }
}
