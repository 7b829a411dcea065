package io.howdah.txn;

/**
 * A transaction that its user ends, by {@link Store#commit} or {@link Store#abort}.
 *
 * @param store where it was begun
 * @param tx its handle
 * @param thread who began it and has to end it
 * @param how its options
 * @param entered whether it has to leave the gate when it ends
 */
record ExplicitTx(Store store, Tx tx, Thread thread, TxOptions how, boolean entered) {

  @SuppressWarnings("ReferenceEquality") // these very objects are meant
  boolean isEndedBy(Store store, Tx tx) {
    return this.store == store && this.tx == tx && thread == Thread.currentThread();
  }
}
