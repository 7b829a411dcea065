package io.howdah;

import io.howdah.txn.Durability;

/**
 * Is called with the time that each of some operations of a store took: for histograms. {@link
 * StoreOptions#withTimings} gives it to an opening; a store that was opened without one reads no
 * clock for it. The artifact {@code howdah-micrometer} makes timers of it.
 *
 * <p>Each method is called by many threads at once, some of them threads of the store. It must
 * return soon, must not wait, and must not use the store. What it throws is dropped, and written to
 * the program's log once. Times are in nanoseconds. Every method does nothing unless it is
 * overridden.
 */
public interface StoreTimings {

  /**
   * A transaction has ended well, repetitions and the wait for durability included. Called in its
   * thread. Not called for {@link Store#read}, which has no commit.
   *
   * @param durability its mode; {@link Durability#ASYNC} in a {@link DurableScope}. Of a {@link
   *     Session}, the time is that of the commit alone
   */
  default void transaction(Durability durability, long nanos) {}

  /**
   * A wait for durability has ended, well or not: of a transaction, a receipt, a scope or {@link
   * StoreDurability#awaitStable}. Called in the thread that waited.
   */
  default void durabilityWait(Durability durability, long nanos) {}

  /** A batch of the log was written and forced. */
  default void force(long nanos) {}

  /** A checkpoint was taken. */
  default void checkpoint(long nanos) {}

  /** The store was opened, and serves. Called before the opening returns. */
  default void opening(long nanos) {}

  /**
   * All of the log is in memory, counted from the begin of the opening. Called if some of it was
   * not when the store began to serve.
   */
  default void replay(long nanos) {}
}
