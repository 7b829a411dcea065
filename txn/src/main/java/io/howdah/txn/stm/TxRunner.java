package io.howdah.txn.stm;

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
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs a body until it commits, or until an exception that counts leaves it. Thread-safe.
 *
 * <p>After {@code irrevocableAfterAborts} conflicts in a row the body runs irrevocably, so every
 * transaction ends after a bounded number of attempts. One that goes to the log in parts does so
 * after its first conflict, since each attempt writes all of it.
 */
public final class TxRunner {

  private final Lifecycle lifecycle;
  private final Committer committer;
  private final IrrevocableGate gate;
  private final RetryWaits retryWaits;
  private final TimeLimits limits;
  private final PageFaults faults;
  private final int irrevocableAfterAborts;

  public TxRunner(
      Engine engine,
      Committer committer,
      IrrevocableGate gate,
      RetryWaits retryWaits,
      TimeLimits limits,
      int irrevocableAfterAborts) {
    this.faults = committer.pageFaults();
    this.retryWaits = retryWaits;
    this.limits = limits;
    this.lifecycle = engine.lifecycle();
    this.committer = committer;
    this.gate = gate;
    this.irrevocableAfterAborts = irrevocableAfterAborts;
  }

  /**
   * Runs a body. On return, and when it throws, the context knows the LSN that the outcome rests
   * on.
   */
  public <T extends @Nullable Object, E extends Exception> T execute(
      TxContext context, TxOptions how, TxFunction<T, E> body) throws E {
    Duration timeLimit = how.timeLimit();
    if (timeLimit == null) {
      return execute(context, how.isReadOnly(), how.isIrrevocable(), body);
    }
    TimeLimits.Limit limit = limits.begin(TimeLimits.nanos(timeLimit));
    context.limit(limit);
    try {
      return execute(context, how.isReadOnly(), how.isIrrevocable(), body);
    } finally {
      limits.end(limit); // its rest bounds the wait for durability
    }
  }

  /** Runs a body without a time limit of its own. */
  public <T extends @Nullable Object, E extends Exception> T execute(
      TxContext context, boolean readOnly, boolean irrevocable, TxFunction<T, E> body) throws E {
    int patience = irrevocable ? 0 : irrevocableAfterAborts;
    boolean entered = false;
    try {
      for (int aborts = 0; ; ) {
        lifecycle.failIfStopped();
        context.failIfExpired();
        if (aborts >= patience && !entered) {
          StackReserve.require(); // or the gate might stay closed
          entered = gate.enter(context.deadline());
          context.counters.increment(Counters.IRREVOCABLE);
        }
        long ticket = gate.ticketOfCaller();
        Tx tx = context.begin(readOnly);
        try {
          T result = body.call(tx);
          if (isCommitted(context, ticket)) {
            return result;
          }
        } catch (Throwable t) {
          if (!isRepeated(context, t)) {
            throw t;
          }
          if (t instanceof InterruptedException) {
            Thread.currentThread().interrupt(); // for the next attempt, or for the caller
          }
        }
        if (context.isRetrying() && context.conflict() == null) {
          context.end();
          requireChange(context, irrevocable);
          if (entered) {
            // Entered for want of patience only: nobody could change what it waits for.
            entered = false;
            gate.leave();
          }
          aborts = 0;
          context.counters.increment(Counters.RETRIES);
          retryWaits.await(context);
          continue;
        }
        aborts++;
        if (context.wroteParts()) {
          patience = 0;
        }
        afterConflict(context, ticket, aborts);
      }
    } catch (IllegalStateException e) {
      throw closedOr(e);
    } catch (InternalError e) {
      throw faults.of(e, context);
    } finally {
      try {
        context.end();
      } finally {
        if (entered) {
          gate.leave();
        }
      }
    }
  }

  /**
   * Commits a transaction that has no body to run again.
   *
   * @throws ConflictException if it lost
   */
  public void commit(TxContext context) {
    try {
      lifecycle.failIfStopped();
      if (!isCommitted(context, gate.ticketOfCaller())) {
        AbortCause cause = Objects.requireNonNull(context.conflict(), "cause");
        context.counters.increment(cause);
        throw ConflictException.of(cause);
      }
    } catch (IllegalStateException e) {
      throw closedOr(e);
    } catch (InternalError e) {
      throw faults.of(e, context);
    }
  }

  /**
   * Runs something once, as a transaction, and gives it up where its commit would have to wait.
   *
   * @return whether it committed
   */
  public boolean attempt(TxContext context, Runnable body) {
    context.beginAgain();
    context.mustNotWait(true);
    try {
      body.run();
      if (isCommitted(context, 0)) {
        return true;
      }
    } catch (ConflictException e) {
      // counted below
    } finally {
      context.mustNotWait(false);
      context.end();
    }
    AbortCause cause = context.conflict();
    if (cause != null) {
      context.counters.increment(cause);
    }
    return false;
  }

  /** Memory that is gone throws this exception; so may a body, for reasons of its own. */
  private RuntimeException closedOr(IllegalStateException thrown) {
    return lifecycle.isStopped()
        ? new StoreClosedException(
            "the store was closed while this transaction ran; nothing of it happened", thrown)
        : thrown;
  }

  /** Commits what the body has left, unless it lost or was refused on the way. */
  private boolean isCommitted(TxContext context, long ticket) {
    if (context.conflict() != null || context.isRetrying()) {
      return false; // the body has swallowed the exception
    }
    context.failIfExpired();
    RuntimeException refusal = context.refusal();
    if (refusal != null) {
      throw refusal; // likewise
    }
    context.requireFinishedOperations();
    boolean committed = commitOrRepair(context, ticket);
    refusal = context.refusal();
    if (refusal != null) {
      throw refusal;
    }
    return committed;
  }

  private boolean commitOrRepair(TxContext context, long ticket) {
    try {
      return committer.commit(context, ticket);
    } catch (Throwable t) {
      CommitProgress progress = context.progress;
      try {
        if (progress.stage != CommitProgress.NONE) {
          committer.repair(context, t);
        }
        if (!progress.isCommitted) {
          throw t;
        }
      } catch (Throwable again) {
        if (progress.stage != CommitProgress.NONE && progress.stage != CommitProgress.STOPPED) {
          // Not even the repair had the stack or the memory that it needs. Nobody else would return
          // the lane, so the store stops. Fields can always be set.
          progress.brokenOff.thrown = again;
          lifecycle.failure = progress.brokenOff;
        }
        throw again;
      }
      // What was thrown behind the commit point cannot undo it: the caller gets the result.
      committer.stopAfterFault(t);
      return true;
    }
  }

  /**
   * Returns whether an attempt that something was thrown out of runs again: if it lost, and also if
   * what it had read is no longer current, since a newer state might not have led there.
   */
  private boolean isRepeated(TxContext context, Throwable thrown) {
    if (context.conflict() != null || (context.isRetrying() && thrown instanceof RetryException)) {
      return true;
    }
    if (thrown instanceof StoreFailedException && lifecycle.failure() != null) {
      // A commit that broke off may have happened: it is not run again, whatever the orecs, which
      // it has left locked, or which a close has taken away, would say.
      return false;
    }
    context.lsn(context.newestRead());
    context.end();
    if (context.areReadsCurrent()) {
      context.counters.increment(
          thrown instanceof TransactionAbortedException
              ? AbortCause.EXPLICIT
              : AbortCause.EXCEPTION);
      return false;
    }
    context.conflict(AbortCause.VALIDATION);
    return true;
  }

  /** Throws if nothing could ever end the wait of a transaction that retries. */
  private static void requireChange(TxContext context, boolean irrevocable) {
    if (irrevocable || context.reads.count() == 0) {
      throw new TransactionStateException(
          irrevocable
              ? "an irrevocable transaction cannot retry: nobody else may change anything"
              : "a transaction that has read nothing cannot retry: nothing could end the wait");
    }
  }

  private void afterConflict(TxContext context, long ticket, int aborts) {
    AbortCause cause = context.conflict();
    if (cause != null) {
      context.counters.increment(cause);
    }
    if (ticket != 0) {
      lifecycle.failIfStopped(); // a commit that broke off leaves its orecs locked
      throw new TransactionStateException(
          "an irrevocable transaction lost against a transaction that its own body, or the body"
              + " around it, has run on the same store: nest with tx.run or tx.call instead");
    }
    context.backoff.pause(aborts);
  }
}
