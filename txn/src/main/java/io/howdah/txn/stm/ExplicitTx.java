package io.howdah.txn.stm;

import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;

/**
 * A transaction that its user ends, by {@code Store.commit} or {@code Store.abort}.
 *
 * @param engine that of the store where it was begun
 * @param tx its handle
 * @param thread who began it and has to end it
 * @param how its options
 * @param entered whether it has to leave the gate when it ends
 */
public record ExplicitTx(Engine engine, Tx tx, Thread thread, TxOptions how, boolean entered) {

  @SuppressWarnings("ReferenceEquality") // these very objects are meant
  public boolean isEndedBy(Engine engine, Tx tx) {
    return this.engine == engine && this.tx == tx && thread == Thread.currentThread();
  }
}
