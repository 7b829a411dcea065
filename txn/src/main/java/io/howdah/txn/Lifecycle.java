package io.howdah.txn;

import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import org.jspecify.annotations.Nullable;

/** Whether a store takes new transactions, lets running ones end, or refuses all. Thread-safe. */
final class Lifecycle {

  private enum Phase {
    OPEN,
    CLOSING,
    CLOSED
  }

  // Both are read volatile after a volatile RMW of the reader's (a context taken, a lane leased),
  // and
  // written before the closer reads those words: one of the two sees the other.
  private volatile Phase phase = Phase.OPEN;
  private volatile @Nullable Throwable failure;

  /** Throws unless new transactions are welcome. */
  void requireOpen() {
    if (phase != Phase.OPEN) {
      throw new StoreClosedException("the store is closed");
    }
    failIfFailed();
  }

  /** Throws if no transaction may go on. */
  void failIfStopped() {
    if (phase == Phase.CLOSED) {
      throw new StoreClosedException(
          "the store was closed while this transaction ran; nothing of it happened");
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

  /** Returns whether memory may be gone. */
  boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /** Refuses new transactions from now on. */
  void closing() {
    phase = Phase.CLOSING;
  }

  /** Refuses everything from now on. */
  void closed() {
    phase = Phase.CLOSED;
  }

  /** Refuses everything from now on; the first cause is kept. */
  synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  @Nullable Throwable failure() {
    return failure;
  }
}
