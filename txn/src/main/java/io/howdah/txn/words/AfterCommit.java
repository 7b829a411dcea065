package io.howdah.txn.words;

/** An action that a transaction leaves to be done once it has committed. */
public interface AfterCommit {

  /** Runs transactions that may be given up, one after the other, in one attempt. */
  interface Attempts {

    /**
     * Runs something once, as a transaction, and gives it up where its commit would have to wait.
     *
     * @return whether it committed
     */
    boolean attempt(Runnable body);
  }

  /**
   * Runs the action, in transactions of its own.
   *
   * @param words those of the transaction, which has ended
   * @param inserted entries that it has inserted
   * @param attempts runs transactions
   */
  void run(Words words, int inserted, Attempts attempts);
}
