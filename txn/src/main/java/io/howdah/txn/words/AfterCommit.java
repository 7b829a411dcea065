package io.howdah.txn.words;

/** An action that runs after the transaction that added it has committed. */
public interface AfterCommit {

  /** Runs optional transactions one after the other, each at most once. */
  interface Attempts {

    /**
     * Runs a body once, as a transaction, and aborts it if its commit would have to wait for a lane
     * or the append lock, or to be written in parts.
     *
     * @return whether it committed
     */
    boolean attempt(Runnable body);
  }

  /**
   * Learns that the transaction has committed, before any action runs. Allocates nothing and throws
   * nothing.
   *
   * @param words the words of the committed transaction
   * @return whether nothing is left to {@link #run}
   */
  default boolean committed(Words words) {
    return false;
  }

  /**
   * Runs the action, in transactions of its own.
   *
   * @param words the object that the committed transaction used. It has the state of that
   *     transaction only until the first {@link Attempts#attempt} of any action, which begins
   *     another transaction with the same object
   * @param inserted number of entries that the committed transaction inserted
   * @param attempts runs transactions
   */
  void run(Words words, int inserted, Attempts attempts);
}
