package io.howdah.txn;

/**
 * A transaction that its user ends, by {@link Store#commit} or {@link Store#abort}.
 *
 * @param engine that of the store where it was begun
 * @param tx its handle
 * @param thread who began it and has to end it
 * @param how its options
 * @param entered whether it has to leave the gate when it ends
 */
record ExplicitTx(Engine engine, Tx tx, Thread thread, TxOptions how, boolean entered) {

  @SuppressWarnings("ReferenceEquality") // these very objects are meant
  boolean isEndedBy(Engine engine, Tx tx) {
    return this.engine == engine && this.tx == tx && thread == Thread.currentThread();
  }
}
