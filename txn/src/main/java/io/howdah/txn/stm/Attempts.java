package io.howdah.txn.stm;

/** Runs transactions that may be given up, one after the other, in one context. */
public interface Attempts {

  /**
   * Runs something once, as a transaction, and gives it up where its commit would have to wait.
   *
   * @return whether it committed
   */
  boolean attempt(Runnable body);
}
