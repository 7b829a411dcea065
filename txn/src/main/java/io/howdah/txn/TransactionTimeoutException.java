package io.howdah.txn;

import io.howdah.core.HowdahException;

/**
 * A transaction took longer than {@link TxOptions#timeLimit} allows to come to its commit; nothing
 * of it happened. One that has committed and only waits to be durable gets {@code
 * NotYetDurableException} instead.
 */
public final class TransactionTimeoutException extends HowdahException {

  private static final long serialVersionUID = 1L;

  public TransactionTimeoutException(long limitNanos) {
    super(
        "the transaction did not reach its commit within "
            + limitNanos / 1_000_000
            + " ms; it had no effect");
  }
}
