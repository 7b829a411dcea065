package io.howdah.txn.stm;

import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import org.jspecify.annotations.Nullable;

/** Whether a store takes new transactions, lets running ones end, or refuses all. Thread-safe. */
public final class Lifecycle {

  private enum Phase {
    OPEN,
    CLOSING,
    STOPPED,
    CLOSED
  }

  // Both are read volatile after a volatile RMW of the reader's (a context taken, a lane leased),
  // and
  // written before the closer reads those words: one of the two sees the other.
  private volatile Phase phase = Phase.OPEN;

  /**
   * Why the store stopped, or null. {@link #fail} sets it. Only a thread that has no stack left for
   * a call sets the field itself; {@link LaneWatch} then tells the log.
   */
  volatile @Nullable Throwable failure;

  /** Throws unless new transactions are welcome. */
  public void requireOpen() {
    if (phase != Phase.OPEN) {
      throw new StoreClosedException("the store is closed");
    }
    failIfFailed();
  }

  /** Throws if no transaction may go on. */
  public void failIfStopped() {
    if (isStopped()) {
      throw new StoreClosedException("the store is closed");
    }
    failIfFailed();
  }

  private void failIfFailed() {
    Throwable failure = this.failure;
    if (failure != null) {
      throw new StoreFailedException(
          "the store stopped after a failure; close it and open it again to recover every"
              + " acknowledged commit: "
              + failure,
          failure);
    }
  }

  /** Returns whether no transaction may go on, and memory may be gone. */
  public boolean isStopped() {
    Phase phase = this.phase;
    return phase == Phase.STOPPED || phase == Phase.CLOSED;
  }

  /**
   * Refuses new transactions from now on.
   *
   * @return whether this is the first call
   */
  public synchronized boolean startClosing() {
    boolean isFirst = phase == Phase.OPEN;
    if (isFirst) {
      phase = Phase.CLOSING;
    }
    return isFirst;
  }

  /** Refuses everything from now on. */
  public void stop() {
    phase = Phase.STOPPED;
  }

  /** Memory and files are gone. */
  public void closed() {
    phase = Phase.CLOSED;
  }

  public boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /** Refuses everything from now on; the first cause is kept. */
  public synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  public @Nullable Throwable failure() {
    return failure;
  }
}
