package io.howdah.txn.stm;

import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.RetryException;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.StackReserve;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a body until it commits, or until it throws an exception that is not a conflict. {@code
 * Transactor} calls it with an {@link Attempt} from the pool; {@link Committer} commits each
 * attempt. The runner ends each attempt that a conflict or a failed call has not ended already.
 * Thread-safe.
 *
 * <p>After {@code irrevocableAfterAborts} consecutive conflicts the body runs irrevocably, so every
 * transaction ends after a bounded number of attempts. A transaction that is written to the log in
 * parts runs irrevocably after its first conflict, since each attempt writes all parts.
 */
public final class TxRunner {

  private final Lifecycle lifecycle;
  private final Committer committer;
  private final IrrevocableGate gate;
  private final RetryWaits retryWaits;
  private final TimeLimits limits;
  private final PageFaults faults;
  private final CommitRepair repair;
  private final int irrevocableAfterAborts;

  /**
   * Creates the runner of a store.
   *
   * @param irrevocableAfterAborts after how many consecutive conflicts a body runs irrevocably
   * @param fatal stops the store
   */
  public TxRunner(
      TxEnvironment engine,
      Committer committer,
      IrrevocableGate gate,
      RetryWaits retryWaits,
      TimeLimits limits,
      int irrevocableAfterAborts,
      Consumer<Throwable> fatal) {
    this.faults = new PageFaults(engine.region(), fatal);
    this.repair = new CommitRepair(engine, fatal);
    this.retryWaits = retryWaits;
    this.limits = limits;
    this.lifecycle = engine.lifecycle();
    this.committer = committer;
    this.gate = gate;
    this.irrevocableAfterAborts = irrevocableAfterAborts;
  }

  // ---- Transactions with a body.

  /**
   * Runs a body until it commits. When this method returns or throws, the attempt has the LSN that
   * the outcome depends on.
   */
  public <T extends @Nullable Object, E extends Exception> T execute(
      Attempt attempt, TxOptions how, TxFunction<T, E> body) throws E {
    Duration timeLimit = how.timeLimit();
    if (timeLimit == null) {
      return execute(attempt, how.isReadOnly(), how.isIrrevocable(), body);
    }
    TimeLimits.Limit limit = limits.begin(TimeLimits.nanos(timeLimit));
    attempt.limit(limit);
    try {
      return execute(attempt, how.isReadOnly(), how.isIrrevocable(), body);
    } finally {
      limits.end(limit); // the remaining time limits the wait for durability
    }
  }

  /** Runs a body without a time limit of its own. */
  public <T extends @Nullable Object, E extends Exception> T execute(
      Attempt attempt, boolean readOnly, boolean irrevocable, TxFunction<T, E> body) throws E {
    attempt.beginTransaction();
    int maxAborts = irrevocable ? 0 : irrevocableAfterAborts;
    boolean entered = false;
    boolean isWaiting = false;
    // The newest LSN that earlier attempts have read. If the transaction ends with an exception,
    // this outcome depends on it. A commit depends on its own reads alone.
    long seen = 0;
    try {
      for (int aborts = 0; ; ) {
        lifecycle.failIfStopped();
        attempt.failIfExpired();
        if (aborts >= maxAborts && !entered) {
          StackReserve.require(); // a later overflow could leave the gate closed
          entered = gate.enter(attempt.deadline());
          if (entered) {
            attempt.counters.increment(Counters.IRREVOCABLE);
          }
        }
        long ticket = gate.ticketOfCaller();
        // The caller has the gate from before: an irrevocable transaction is around this one.
        boolean isNested = ticket != 0 && !entered;
        Tx tx = attempt.begin(readOnly);
        try {
          T result = body.call(tx);
          checkAndCommit(attempt, ticket);
          return result;
        } catch (Throwable t) {
          if (!isRepeated(attempt, t, seen)) {
            throw t;
          }
          if (t instanceof InterruptedException) {
            Thread.currentThread().interrupt(); // for the next attempt, or for the caller
          }
        }
        seen = Math.max(seen, attempt.words.newestRead());
        // The outcome, if an exception ends the transaction before its next attempt, and the least
        // snapshot of that attempt, which Attempt.begin takes from here.
        attempt.lsn(seen);
        if (attempt.isRetrying() && attempt.conflict() == null) {
          isWaiting = true; // until the wait ends, the finally block counts an exception
          requireChange(attempt, irrevocable, isNested);
          if (entered) {
            // It entered after too many aborts. Other transactions must commit to end its wait.
            entered = false;
            gate.leave();
          }
          aborts = 0;
          attempt.counters.increment(Counters.RETRIES);
          retryWaits.await(attempt);
          isWaiting = false;
          continue;
        }
        aborts++;
        if (attempt.wroteParts()) {
          maxAborts = 0;
        }
        afterConflict(attempt, ticket, aborts);
      }
    } catch (IllegalStateException e) {
      throw explainStop(e);
    } catch (InternalError e) {
      throw faults.of(e, attempt);
    } finally {
      try {
        end(attempt);
      } finally {
        if (entered) {
          gate.leave();
        }
      }
      if (isWaiting) {
        attempt.counters.increment(AbortCause.EXCEPTION);
      }
    }
  }

  /**
   * Commits after the end of the body, unless the attempt has ended already. In that case throws
   * the attempt's conflict, retry or failed call, also if the body has caught that exception.
   *
   * @param ticket the caller's ticket if it is inside the gate, otherwise 0
   */
  private void checkAndCommit(Attempt attempt, long ticket) {
    AbortCause conflict = attempt.conflict();
    if (conflict != null) {
      throw ConflictException.of(conflict);
    }
    if (attempt.isRetrying()) {
      throw new RetryException();
    }
    attempt.failIfExpired();
    RuntimeException refusal = attempt.refusal();
    if (refusal != null) {
      throw refusal;
    }
    attempt.requireFinishedOperations();
    commitOrRepair(attempt, ticket);
  }

  /** Commits. After an error, undoes the commit if it has not happened, or stops the store. */
  private void commitOrRepair(Attempt attempt, long ticket) {
    try {
      committer.commit(attempt, ticket);
    } catch (Throwable t) {
      CommitProgress progress = attempt.progress;
      try {
        if (progress.stage != CommitProgress.NONE) {
          repair.repair(attempt, t);
        }
      } catch (Throwable again) {
        if (progress.stage != CommitProgress.STOPPED) {
          // The repair has exhausted stack or memory, too. No other thread can return the lane, so
          // the store must stop. Setting a field cannot fail; LaneWatch stops the store.
          progress.brokenOff.thrown = again;
          lifecycle.failure = progress.brokenOff;
        }
        throw again;
      }
      // No lane is leased any more.
      if (!progress.isReleased) {
        throw t; // the commit has had no effect
      }
      repair.stopIfFault(t); // the commit is valid, and the caller gets its result
    }
  }

  /**
   * Returns whether the body runs again after an exception. It does after a conflict. It also does
   * if the attempt's reads are no longer current, since the newer state may not lead to the
   * exception.
   *
   * @param seen newest LSN that earlier attempts have read
   */
  private boolean isRepeated(Attempt attempt, Throwable thrown, long seen) {
    if (attempt.conflict() != null || (attempt.isRetrying() && thrown instanceof RetryException)) {
      return true;
    }
    if (thrown instanceof StoreFailedException && lifecycle.failure() != null) {
      // An interrupted commit may have happened, so the body does not run again. The orecs cannot
      // decide: they are still locked, or a close has released their memory.
      return false;
    }
    attempt.lsn(Math.max(seen, attempt.words.newestRead()));
    if (attempt.words.areReadsCurrent()) {
      countException(attempt, thrown);
      return false;
    }
    attempt.conflict(AbortCause.VALIDATION);
    return true;
  }

  /**
   * Throws if no commit of another transaction can end the wait of a transaction that retries.
   *
   * @param isNested whether the transaction runs inside an irrevocable one, whose gate stays closed
   */
  private static void requireChange(Attempt attempt, boolean irrevocable, boolean isNested) {
    if (isNested) {
      throw new TransactionStateException(
          "a transaction inside an irrevocable one of the same store cannot retry: no other"
              + " transaction can commit until it ends");
    }
    if (irrevocable) {
      throw new TransactionStateException(
          "an irrevocable transaction cannot retry: no other transaction can commit until it ends");
    }
    if (attempt.words.reads.count() == 0) {
      throw new TransactionStateException(
          "a transaction that has read nothing cannot retry: no change could end the wait");
    }
  }

  /** Prepares the repetition after a conflict: pauses, or throws if no repetition can succeed. */
  private void afterConflict(Attempt attempt, long ticket, int aborts) {
    countConflict(attempt);
    if (attempt.words.lacksReadSet()) {
      return; // no other transaction has caused this: repeat now, without a pause
    }
    if (ticket != 0) {
      lifecycle.failIfStopped(); // an interrupted commit leaves its orecs locked
      throw new TransactionStateException(
          "the transaction cannot commit: its body, or an enclosing body, has run a separate"
              + " transaction on the same store that changes the same words; nest with tx.run or"
              + " tx.call instead of store.run");
    }
    attempt.backoff.pause(aborts);
  }

  /**
   * Ends the attempt. An exception here does not replace the result of an attempt that committed.
   */
  private static void end(Attempt attempt) {
    try {
      attempt.end();
    } catch (Throwable t) {
      if (!attempt.progress.isReleased) {
        throw t;
      }
      // The pool ends the attempt again when it is returned.
    }
  }

  // ---- Transactions without a body, and without a repetition.

  /**
   * Commits the transaction of a session, which has no body. The transaction ends in all cases.
   *
   * @throws ConflictException if it has a conflict
   */
  public void commit(Attempt attempt) {
    try {
      lifecycle.failIfStopped();
      checkAndCommit(attempt, gate.ticketOfCaller());
    } catch (ConflictException e) {
      countConflict(attempt);
      throw e;
    } catch (HowdahException e) {
      if (!(e instanceof StoreFailedException || e instanceof StoreClosedException)) {
        countException(attempt, e);
      }
      throw e;
    } catch (IllegalStateException e) {
      throw explainStop(e);
    } catch (InternalError e) {
      throw faults.of(e, attempt);
    } finally {
      end(attempt);
    }
  }

  /** Aborts the transaction of a session. After an exception the call may be repeated. */
  public void abort(Attempt attempt) {
    attempt.end();
    AbortCause conflict = attempt.conflict();
    attempt.counters.increment(conflict == null ? AbortCause.EXPLICIT : conflict);
  }

  /**
   * Runs a body once, as a transaction, and aborts it if its commit would have to wait ({@code
   * Attempt.mustNotWait}).
   *
   * @return whether it committed
   */
  public boolean runOnce(Attempt attempt, Runnable body) {
    attempt.mustNotWait(true);
    try {
      attempt.beginReusingHandle(false);
      body.run();
      checkAndCommit(attempt, 0);
      return true;
    } catch (ConflictException e) {
      countConflict(attempt);
      return false;
    } finally {
      attempt.mustNotWait(false);
      attempt.end();
    }
  }

  // ---- Counters and exceptions.

  private static void countException(Attempt attempt, Throwable thrown) {
    attempt.counters.increment(
        thrown instanceof TransactionAbortedException ? AbortCause.EXPLICIT : AbortCause.EXCEPTION);
  }

  private static void countConflict(Attempt attempt) {
    AbortCause cause = attempt.conflict();
    if (cause != null) {
      attempt.counters.increment(cause);
    }
  }

  /**
   * Returns the exception to throw in place of one that access to released memory, or a body, has
   * thrown. If the store has stopped, it is the reason of the stop; otherwise {@code thrown}.
   */
  private RuntimeException explainStop(IllegalStateException thrown) {
    return lifecycle.isStopped()
        ? StopReason.of(null, "the transaction had no effect", thrown)
        : thrown;
  }
}
