package io.howdah.txn.words;

/** An action that runs after the transaction that added it has committed. */
public interface AfterCommit {

  /** Runs optional transactions one after the other, each at most once. */
  interface Attempts {

    /**
     * Runs a body once, as a transaction, and aborts it if its commit would have to wait.
     *
     * @return whether it committed
     */
    boolean attempt(Runnable body);
  }

  /**
   * Runs the action, in transactions of its own.
   *
   * @param words the words of the committed transaction
   * @param inserted number of entries that this transaction inserted
   * @param attempts runs transactions
   */
  void run(Words words, int inserted, Attempts attempts);
}
