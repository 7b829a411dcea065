package io.howdah.txn.words;

import io.howdah.txn.RetryException;
import io.howdah.txn.Tx;

/**
 * The methods of a running transaction's handle that collections use in addition to {@link Tx}.
 * Only the transaction's thread calls them.
 */
public interface RunningTx extends Tx {

  /**
   * Returns a transaction's handle as this type.
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

  /**
   * Returns the number of the transaction in its session; a session's transactions share a handle.
   */
  int number();

  /**
   * Throws if the transaction has ended, if the calling thread is not the transaction's, or if the
   * session has begun another transaction.
   *
   * @param number the number of the caller's transaction
   */
  void requireLive(int number);

  /**
   * Retries like {@link #retry()}, with a limit of the wait. If both alternatives of {@link
   * #orElse} have a limit, the one that expires first applies.
   */
  RetryException retry(RetryLimit limit);
}
