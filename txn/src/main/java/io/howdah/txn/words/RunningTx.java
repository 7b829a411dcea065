package io.howdah.txn.words;

import io.howdah.txn.RetryException;
import io.howdah.txn.Tx;

/**
 * What collections use of a running transaction's handle beside {@link Tx}. For the transaction's
 * thread.
 */
public interface RunningTx extends Tx {

  /**
   * Returns the handle that a transaction's body has got.
   *
   * @throws IllegalArgumentException if the object was not made by a store
   */
  static RunningTx of(Tx tx) {
    if (tx instanceof RunningTx running) {
      return running;
    }
    throw new IllegalArgumentException("not a transaction of a store: " + tx);
  }

  /**
   * Returns whether the calling thread may use the handle: it is the handle's own thread, and the
   * transaction has not ended.
   */
  boolean isLive();

  /** Returns the number of the transaction among those of a session, which share a handle. */
  int number();

  /**
   * Refuses an ended transaction, another thread, and an earlier transaction of the session.
   *
   * @param number of the transaction that the caller belongs to
   */
  void requireLive(int number);

  /**
   * Gives up like {@link #retry()}, to wait until a limit at most. Of the limits of two
   * alternatives of {@link #orElse} the first one to end counts.
   */
  RetryException retry(RetryLimit limit);
}
