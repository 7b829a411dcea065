package io.howdah.txn;

import io.howdah.core.HowdahException;

/**
 * An error broke off an operation of a collection, an object or a block in the middle, the body
 * caught it and went on, and the transaction was about to commit. Nothing of the transaction has
 * happened. A body that catches errors can go on by rolling back to a savepoint that it took before
 * the operation: {@link Tx#rollBack}.
 */
public final class UnfinishedOperationException extends HowdahException {

  private static final long serialVersionUID = 1L;

  public UnfinishedOperationException(String message) {
    super(message);
  }
}
