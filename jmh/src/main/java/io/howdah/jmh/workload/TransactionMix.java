package io.howdah.jmh.workload;

import io.howdah.txn.Durability;

/** Transactions of a kind of program, over data whose consistency can be verified. Thread-safe. */
public interface TransactionMix {

  /** One thread's transactions, one after the other. For one thread. */
  @FunctionalInterface
  interface Worker {
    /** Chooses and runs the next one. */
    void next(Durability durability);
  }

  /**
   * Returns the transactions of a thread.
   *
   * @param thread from 0; no two workers of one number run at the same time
   */
  Worker worker(int thread);

  /**
   * Verifies the data in one transaction, with no worker running: also that it has what the newest
   * worker of each thread committed.
   *
   * @return a number of things that transactions have left, for a report
   * @throws IllegalStateException if the data contradicts itself
   */
  long verify();
}
