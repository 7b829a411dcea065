package io.howdah.txn.words;

import io.howdah.txn.AbortCause;
import java.util.function.Supplier;

/**
 * The attempt that uses a {@link Words} object, as that object sees it: calls that end the attempt
 * and calls that query its state. Only the attempt's thread calls it.
 */
public interface Ending {

  /** Ends the attempt because of a conflict; returns the exception to throw out of the body. */
  RuntimeException conflict(AbortCause cause);

  /** Ends the transaction because a call is invalid or cannot succeed; returns the exception. */
  RuntimeException refuse(RuntimeException reason);

  /**
   * Ends the attempt so that the body runs again when a word that it has read changes. A
   * transaction waits in this way for so long at most, all its waits together; then it ends with an
   * exception. One that cannot wait, because it has no body or must not, ends at once.
   *
   * @param maxNanos more than 0
   * @param overdue makes the exception
   * @return never
   */
  RuntimeException holdBack(long maxNanos, Supplier<? extends RuntimeException> overdue);

  /** Returns whether the attempt will wait until a word that it has read changes. */
  boolean isRetrying();

  /** Ends the transaction with an exception if its time limit has expired. */
  void failIfExpired();

  /** Throws if the store has stopped. */
  void failIfStopped();
}
