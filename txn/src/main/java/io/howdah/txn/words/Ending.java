package io.howdah.txn.words;

import io.howdah.txn.AbortCause;

/**
 * The attempt that uses {@link Words}: the calls by which words end it, and what they ask of it.
 * For the attempt's thread.
 */
public interface Ending {

  /** Ends the attempt because it lost; returns the exception that leaves the body. */
  RuntimeException conflict(AbortCause cause);

  /** Ends the transaction because of a call that cannot be served; returns what to throw. */
  RuntimeException refuse(RuntimeException reason);

  /** Returns whether the attempt will wait for a change of what it has read. */
  boolean isRetrying();

  /** Ends the transaction, by an exception, if its time limit is over. */
  void failIfExpired();

  /** Throws if no transaction of the store may continue. */
  void failIfStopped();
}
