package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.core.TransactionStateException;
import io.howdah.log.commit.CommitPoint;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.RecordWriter;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.RetryException;
import io.howdah.txn.Tx;
import io.howdah.txn.UnfinishedOperationException;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.Ending;
import io.howdah.txn.words.OrecLocks;
import io.howdah.txn.words.RetryLimit;
import io.howdah.txn.words.Savepoints;
import io.howdah.txn.words.Words;
import io.howdah.txn.words.WordsAttachment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a transaction: its begin, its state and its outcome. Its reads and writes are in
 * its {@link Words}. {@link TxRunner} begins and ends it, {@link Committer} commits it. An object
 * is reused for one attempt after the other, by different threads; {@link AttemptPool} assigns it.
 * Used by one thread at a time.
 */
public final class Attempt implements Ending {

  /** The words that the attempt reads and writes. */
  public final Words words;

  /**
   * The number of this object among those of its store. It selects the lane that a commit tries
   * first. A thread usually gets the same object from the pool, and so the same lane.
   */
  public final int id;

  public final Counters counters;
  private final TxEnvironment engine;
  final OrecLocks locks;

  /** Encodes the writes for the log. */
  final RecordWriter record;

  /**
   * The outcome of the last attempt. Without a commit, its LSN is the largest one that was read: by
   * the attempt, or by earlier ones if the transaction ended with an exception.
   */
  public final CommitPoint point = new CommitPoint();

  final CommitProgress progress;
  final Backoff backoff;

  /**
   * The thread of a read that keeps no reserve of stack, otherwise null. If it is still set after
   * the return of the attempt, the return has failed because the stack was exhausted.
   */
  public @Nullable Thread holder;

  /** Whether its thread could not return it to the pool, because the stack was exhausted. */
  public volatile boolean isLost;

  /** Number of attempts that have begun. Iterators compare it to detect an earlier attempt. */
  private int number;

  /** Number of transactions that {@link #isEighth} has counted. */
  private int transactions;

  private @Nullable TxHandle handle;
  private @Nullable TxHandle sessionHandle;
  private boolean ofSession;
  private TimeLimits.@Nullable Limit limit;
  private @Nullable Hooks hooks;
  private @Nullable AbortCause conflict;
  private @Nullable RuntimeException refusal;
  private boolean retrying;
  private @Nullable RetryLimit retryLimit;

  /** The limit of all waits of the transaction in {@link #holdBack}, over all its attempts. */
  private @Nullable RetryLimit holdLimit;

  /**
   * Whether the commit is too large for one record; so the attempt writes parts; set before the
   * first one.
   */
  private boolean wroteParts;

  private boolean mustNotWait;

  /**
   * The largest version, a packed LSN, of another partition than the lane's that the commit has
   * read or overwritten and that was not stable when its orecs were locked; 0 for none.
   */
  long unstableElsewhere;

  public Attempt(TxEnvironment engine, int id, Counters counters, WordsAttachment attachment) {
    this.engine = engine;
    this.id = id;
    this.counters = counters;
    this.words = new Words(engine.memory(), id, counters, attachment, this);
    this.locks = new OrecLocks(engine.orecs());
    this.record = new RecordWriter(words.writes, words.nodeWrites);
    this.progress = new CommitProgress(id);
    this.backoff = new Backoff(engine.execution(), id + 1L);
  }

  /**
   * Returns whether an error interrupted a commit where it could be neither completed nor undone
   * (R6). The store has stopped, and recovery decides whether the commit happened.
   */
  public boolean isCommitUndecided() {
    return progress.stage != CommitProgress.NONE;
  }

  // ---- Begin and end.

  /** Begins an attempt on the newest state, with a new handle. */
  public Tx begin(boolean readOnly) {
    start(readOnly);
    return handOut(new TxHandle(this));
  }

  private void start(boolean readOnly) {
    end(); // the last attempt may have waited for a change and kept its snapshot
    number++;
    boolean hadConflict = conflict != null;
    long minSnapshot = point.lsn(); // of the last attempt, before the point is cleared
    conflict = null;
    refusal = null;
    wroteParts = false;
    point.clear();
    progress.isReleased = false;
    hooks = null;
    retrying = false;
    if (retryLimit != null) {
      retryLimit = null;
    }
    words.begin(readOnly, hadConflict, minSnapshot);
  }

  /**
   * Begins an attempt on the newest state. It has the handle of the last attempt that this method
   * began, if that one had no time limit; this avoids an allocation.
   */
  public Tx beginReusingHandle(boolean readOnly) {
    start(readOnly);
    TxHandle tx = sessionHandle;
    if (tx == null) {
      tx = new TxHandle(this);
      sessionHandle = tx;
    }
    tx.begin();
    return handOut(tx);
  }

  private TxHandle handOut(TxHandle tx) {
    handle = tx;
    words.attachment().begin(tx);
    if (limit != null) {
      limit.guard(tx);
      // The thread of the time limits may expire the handle after the transaction has ended, so no
      // later transaction may use the handle.
      sessionHandle = null;
    }
    return tx;
  }

  /**
   * Returns whether the attempt aborts if its commit would have to wait for a lane or for the
   * append lock, or to be written in parts. Other waits remain: the commit spins while an orec is
   * locked, and waits for the replay of the words that it writes.
   */
  boolean mustNotWait() {
    return mustNotWait;
  }

  void mustNotWait(boolean mustNotWait) {
    this.mustNotWait = mustNotWait;
  }

  /** Ends the attempt: invalidates its handle and closes its snapshot. */
  void end() {
    words.endReads();
    TxHandle handle = this.handle;
    if (handle != null) {
      handle.end();
      this.handle = null;
    }
    words.newObjects.end(progress.isReleased);
  }

  /** Counts a transaction, and returns true for one of eight. */
  public boolean isEighth() {
    return (++transactions & 7) == 0;
  }

  /** Returns whether the attempt belongs to the store with this engine. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  boolean isOf(TxEnvironment engine) {
    return this.engine == engine;
  }

  Execution execution() {
    return engine.execution();
  }

  /** Returns the number of the present attempt among those of this object. */
  int number() {
    return number;
  }

  boolean isHandle(Tx tx) {
    return handle == tx;
  }

  /** Ends the attempt, if any, and frees memory that an unusually large transaction needed. */
  void reset() {
    end();
    forgetOutcome();
    words.trim();
    locks.trim();
  }

  /**
   * Clears the outcome, so that a transaction that ends before its first attempt does not report
   * it. The snapshot is raised because the LSN in the point, which is lost here, would have been
   * the minimum for the next one. A conflict stays: the next attempt then begins as after a
   * conflict, which is correct for any transaction.
   */
  private void forgetOutcome() {
    words.raiseSnapshot(point.lsn());
    point.clear();
    progress.isReleased = false;
  }

  /** Returns the cause of the attempt's conflict, or null without a conflict. */
  @Nullable AbortCause conflict() {
    return conflict;
  }

  /** Ends the attempt because of a conflict; returns the exception to throw out of the body. */
  @Override
  public ConflictException conflict(AbortCause cause) {
    conflict = cause;
    end();
    return ConflictException.of(cause);
  }

  /** Returns the exception that ended the transaction inside its body, or null. */
  @Nullable RuntimeException refusal() {
    return refusal;
  }

  /** Ends the transaction because a call is invalid or cannot succeed. */
  @Override
  public RuntimeException refuse(RuntimeException reason) {
    refusal = reason;
    TxHandle ended = handle;
    end();
    if (ended != null) {
      ended.end(reason);
    }
    return reason;
  }

  @Override
  public RuntimeException holdBack(long maxNanos, Supplier<? extends RuntimeException> overdue) {
    TxHandle tx = handle;
    if (tx == null || ofSession || mustNotWait) {
      throw refuse(overdue.get());
    }
    RetryLimit limit = holdLimit;
    if (limit == null) {
      limit = new RetryLimit(execution(), maxNanos, false);
      holdLimit = limit;
    } else if (limit.isTimeOver()) {
      throw refuse(overdue.get());
    }
    throw tx.retry(limit);
  }

  /** Begins a transaction: its waits have no limit from an earlier one. */
  void beginTransaction() {
    if (holdLimit != null) {
      holdLimit = null;
    }
  }

  /** Rejects the commit if an error has interrupted an operation. */
  void requireFinishedOperations() {
    if (words.hasBrokenOperation()) {
      throw refuse(
          new UnfinishedOperationException(
              "an error interrupted an operation of a collection, an object or a block, and the"
                  + " body caught the error; the transaction was not committed. Let errors pass, or"
                  + " roll back to a savepoint taken before the operation"));
    }
  }

  /** Ends the transaction because a nested body threw an exception, unless it has ended already. */
  void refuseAfter(Tx tx, Throwable thrown) {
    if (isHandle(tx) && !(retrying && thrown instanceof RetryException)) {
      refuse(
          new TransactionStateException(
              "the transaction has ended because a nested body threw an exception: " + thrown,
              thrown));
    }
  }

  /** Returns the transaction's time limit, or null. */
  public TimeLimits.@Nullable Limit limit() {
    return limit;
  }

  /** Removes and returns the transaction's time limit, or null. */
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

  /** Returns the deadline of the transaction's waits. */
  public Deadline deadline() {
    TimeLimits.Limit limit = this.limit;
    return limit == null ? Deadline.NONE : limit;
  }

  @Override
  public void failIfExpired() {
    TimeLimits.Limit limit = this.limit;
    if (limit != null && limit.isOver()) {
      throw refuse(limit.exception());
    }
  }

  @Override
  public boolean isRetrying() {
    return retrying;
  }

  @Override
  public void failIfStopped() {
    engine.lifecycle().failIfStopped();
  }

  void retrying(boolean retrying) {
    this.retrying = retrying;
  }

  /** Returns the limit of the wait of a retry, or null. */
  @Nullable RetryLimit retryLimit() {
    return retryLimit;
  }

  void retryLimit(@Nullable RetryLimit limit) {
    retryLimit = limit;
  }

  Savepoints.State savepoint(Tx tx) {
    return words.savepoint(tx, hooks == null ? 0 : hooks.position());
  }

  void rollBack(Savepoints.State savepoint) {
    // If an error interrupts the roll-back, the operation stays open and the attempt cannot commit.
    words.operations.begin();
    words.rollBack(savepoint);
    if (hooks != null) {
      hooks.rollBack(savepoint.hooks());
    }
    words.operations.rolledBack(savepoint.openOperations());
  }

  /** Returns the dense LSN of the commit; without writes, the largest LSN that it read. */
  public long lsn() {
    return point.lsn();
  }

  public void lsn(long lsn) {
    point.lsn(lsn);
  }

  /** Returns the attempt's hooks. The first call creates them. */
  Hooks hooks() {
    Hooks hooks = this.hooks;
    if (hooks == null) {
      hooks = new Hooks();
      this.hooks = hooks;
    }
    return hooks;
  }

  /** Removes and returns the hooks of the last attempt; null if it has none. */
  public @Nullable Hooks takeHooks() {
    Hooks taken = hooks;
    hooks = null;
    return taken;
  }

  /** Returns whether the transaction has no body: the program begins and ends it by calls. */
  public boolean isOfSession() {
    return ofSession;
  }

  public void ofSession(boolean ofSession) {
    this.ofSession = ofSession;
  }

  /** Returns whether the attempt has written parts of itself to the log. */
  boolean wroteParts() {
    return wroteParts;
  }

  void willWriteParts() {
    wroteParts = true;
  }
}
