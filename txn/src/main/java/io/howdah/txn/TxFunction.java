package io.howdah.txn;

import org.jspecify.annotations.Nullable;

/**
 * The body of a transaction with a result. It may run several times, so what it does outside the
 * store must bear repetition; the result of the attempt that committed counts.
 *
 * @param <T> the result
 * @param <E> what it throws; lambdas that throw nothing checked need not name it
 */
@FunctionalInterface
public interface TxFunction<T extends @Nullable Object, E extends Exception> {

  /** Runs once, in one attempt; {@code tx} is valid until it returns. */
  T call(Tx tx) throws E;
}
