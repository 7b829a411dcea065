package io.howdah.txn;

import org.jspecify.annotations.Nullable;

/**
 * The body of a transaction without a result. It may run several times, so what it does outside the
 * store must bear repetition.
 *
 * @param <E> what it throws; lambdas that throw nothing checked need not name it
 */
@FunctionalInterface
public interface TxBody<E extends Exception> extends TxFunction<@Nullable Void, E> {

  /** Runs once, in one attempt; {@code tx} is valid until it returns. */
  void run(Tx tx) throws E;

  /** Calls {@link #run}. */
  @Override
  @SuppressWarnings("NullAway") // it does not see that T is nullable here
  default @Nullable Void call(Tx tx) throws E {
    run(tx);
    return null;
  }
}
