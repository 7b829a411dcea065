package io.howdah.txn.stm;

import io.howdah.core.engine.NoAction;
import io.howdah.core.report.StoreStoppedEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a store: it accepts new transactions, permits only the end of running ones, or
 * rejects all. Thread-safe.
 */
public final class Lifecycle {

  private enum Phase {
    OPEN,
    CLOSING,
    STOPPED,
    CLOSED
  }

  // Dekker: a transaction first writes, by a volatile read-modify-write in AttemptPool.take or
  // CommitLanes.lease, then reads these volatile fields. The thread that closes the store first
  // writes these fields, then reads the attempts and lanes. So at least one sees the other's write.
  private volatile Phase phase = Phase.OPEN;

  /**
   * The cause of the store's failure, or null. {@link #fail} sets it. A thread that has no stack
   * left for a call sets the field directly, and {@link LaneWatch} reports it to the log.
   */
  volatile @Nullable Throwable failure;

  /** Wakes the threads that wait until the store rejects transactions. */
  private volatile Runnable onStop = NoAction.NONE;

  /** Runs once, with the first cause, when the store fails. */
  private volatile @Nullable Consumer<Throwable> onFailure;

  private boolean isReported;

  /** Sets an action that runs whenever the store begins to close, stops or fails. */
  void onStop(Runnable action) {
    onStop = action;
  }

  /** Sets an action that runs once if the store fails, with the first cause. */
  public void onFailure(Consumer<Throwable> action) {
    onFailure = action;
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void notifyWaiters() {
    try {
      onStop.run();
    } catch (Throwable t) {
      // Stack or memory is exhausted. The store stops nevertheless, and waiting threads check its
      // state periodically.
    }
  }

  /** Throws unless the store accepts new transactions. */
  public void requireOpen() {
    if (phase != Phase.OPEN) {
      throw StopReason.of(null);
    }
    failIfFailed();
  }

  /** Throws if no transaction may continue. */
  public void failIfStopped() {
    if (isStopped()) {
      throw StopReason.of(null);
    }
    failIfFailed();
  }

  private void failIfFailed() {
    Throwable failure = this.failure;
    if (failure != null) {
      throw StopReason.of(failure);
    }
  }

  /** Returns whether no transaction may continue. The store's memory may be released. */
  public boolean isStopped() {
    Phase phase = this.phase;
    return phase == Phase.STOPPED || phase == Phase.CLOSED;
  }

  /**
   * Rejects new transactions from now on.
   *
   * @return whether this is the first call
   */
  public boolean startClosing() {
    boolean isFirst;
    synchronized (this) {
      isFirst = phase == Phase.OPEN;
      if (isFirst) {
        phase = Phase.CLOSING;
      }
    }
    notifyWaiters();
    return isFirst;
  }

  /** Rejects all calls from now on. */
  public void stop() {
    phase = Phase.STOPPED;
    notifyWaiters();
  }

  /** Records that the store's memory and files are released. */
  public void closed() {
    phase = Phase.CLOSED;
  }

  public boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /** Rejects all calls from now on, because of a failure. The first cause is kept. */
  public void fail(Throwable cause) {
    Throwable first;
    boolean isFirst;
    synchronized (this) {
      first = failure == null ? cause : failure;
      failure = first;
      isFirst = !isReported;
      isReported = true;
    }
    notifyWaiters();
    if (isFirst) {
      report(first);
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void report(Throwable cause) {
    StoreStoppedEvent.record(cause);
    Consumer<Throwable> told = onFailure;
    if (told == null) {
      return;
    }
    try {
      told.accept(cause);
    } catch (Throwable t) {
      // Stack or memory is exhausted, so no message is written. The store has stopped nevertheless.
    }
  }

  public @Nullable Throwable failure() {
    return failure;
  }
}
