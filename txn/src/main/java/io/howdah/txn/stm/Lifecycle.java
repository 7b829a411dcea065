package io.howdah.txn.stm;

import io.howdah.core.report.StoreStoppedEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether a store takes new transactions, only lets running transactions end, or refuses all.
 * Thread-safe.
 */
public final class Lifecycle {

  private enum Phase {
    OPEN,
    CLOSING,
    STOPPED,
    CLOSED
  }

  // A thread reads both fields, volatile, after a volatile read-modify-write of its own (it has
  // taken an attempt or leased a lane). The thread that closes the store writes them before it
  // reads
  // those words. So one of the two sees the other.
  private volatile Phase phase = Phase.OPEN;

  /**
   * Why the store stopped, or null. {@link #fail} sets it. A thread that has no stack left for a
   * call sets the field itself; {@link LaneWatch} then tells the log.
   */
  volatile @Nullable Throwable failure;

  /** Wakes who waits until the store takes no more transactions. */
  private volatile Runnable onStop = () -> {};

  /** Is told once why the store has stopped. */
  private volatile Consumer<Throwable> onFailure = _ -> {};

  private boolean isTold;

  /** Sets an action that runs whenever the store begins to close, stops or fails. */
  void onStop(Runnable action) {
    onStop = action;
  }

  /** Sets an action that runs once if the store fails, with the first cause. */
  public void onFailure(Consumer<Throwable> action) {
    onFailure = action;
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void tellWaiters() {
    try {
      onStop.run();
    } catch (Throwable t) {
      // No stack or memory is left for it. The store stops all the same, and waiters look by
      // themselves.
    }
  }

  /** Throws unless the store takes new transactions. */
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

  /** Returns whether no transaction may continue; the store's memory may be released. */
  public boolean isStopped() {
    Phase phase = this.phase;
    return phase == Phase.STOPPED || phase == Phase.CLOSED;
  }

  /**
   * Refuses new transactions from now on.
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
    tellWaiters();
    return isFirst;
  }

  /** Refuses everything from now on. */
  public void stop() {
    phase = Phase.STOPPED;
    tellWaiters();
  }

  /** Says that the store's memory and files are released. */
  public void closed() {
    phase = Phase.CLOSED;
  }

  public boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /** Refuses everything from now on; the first cause is kept. */
  public void fail(Throwable cause) {
    Throwable first;
    boolean isFirst;
    synchronized (this) {
      first = failure == null ? cause : failure;
      failure = first;
      isFirst = !isTold;
      isTold = true;
    }
    tellWaiters();
    if (isFirst) {
      tell(first);
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void tell(Throwable cause) {
    StoreStoppedEvent.record(cause);
    try {
      onFailure.accept(cause);
    } catch (Throwable t) {
      // No stack or memory is left for a message. The store has stopped all the same.
    }
  }

  public @Nullable Throwable failure() {
    return failure;
  }
}
