package io.howdah.txn;

import io.howdah.core.HowdahException;

/**
 * Carries a {@link Tx#retry} out of the body; let it pass. It has no stack trace, since it is no
 * defect. A body that swallows it waits and runs again all the same.
 */
public final class RetryException extends HowdahException {

  private static final long serialVersionUID = 1L;

  public RetryException() {
    super("the transaction waits until something that it has read changes", null, true, false);
  }
}
