package io.howdah;

import io.howdah.txn.Durability;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Attempt;
import io.howdah.txn.stm.TxEnvironment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A transactor that tells how long transactions took. A program whose stores have no {@link
 * StoreTimings} never loads this class, so the just-in-time compiler knows that there is one
 * implementation of {@link Transactor}'s methods, and a commit has neither a branch nor a clock for
 * it. Thread-safe.
 */
final class TimedTransactor extends Transactor {

  private final GuardedTimings timings;

  TimedTransactor(
      TxEnvironment engine,
      StoreOptions options,
      DurabilityWaits waits,
      Consumer<Throwable> fatal,
      GuardedTimings timings) {
    super(engine, options, waits, fatal);
    this.timings = timings;
  }

  @Override
  <E extends Exception> long run(TxOptions how, TxBody<E> body) throws E {
    long started = timings.now();
    long lsn = super.run(how, body);
    timings.transaction(durability(how), started);
    return lsn;
  }

  @Override
  <T extends @Nullable Object, E extends Exception> T call(TxOptions how, TxFunction<T, E> body)
      throws E {
    long started = timings.now();
    T result = super.call(how, body);
    timings.transaction(durability(how), started);
    return result;
  }

  @Override
  <T extends @Nullable Object, E extends Exception> Receipt<T> callWithReceipt(
      TxOptions how, TxFunction<T, E> body) throws E {
    long started = timings.now();
    Receipt<T> receipt = super.callWithReceipt(how, body);
    timings.transaction(durability(how), started);
    return receipt;
  }

  @Override
  <E extends Exception> long run(TxOptions how, CommitSet commits, TxBody<E> body) throws E {
    long started = timings.now();
    long lsn = super.run(how, commits, body);
    timings.transaction(Durability.ASYNC, started);
    return lsn;
  }

  @Override
  <T extends @Nullable Object, E extends Exception> T call(
      TxOptions how, CommitSet commits, TxFunction<T, E> body) throws E {
    long started = timings.now();
    T result = super.call(how, commits, body);
    timings.transaction(Durability.ASYNC, started);
    return result;
  }

  @Override
  long commit(Attempt attempt, Durability durability, boolean entered) {
    long started = timings.now();
    long lsn = super.commit(attempt, durability, entered);
    timings.transaction(durability, started);
    return lsn;
  }
}
