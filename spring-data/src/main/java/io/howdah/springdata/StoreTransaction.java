package io.howdah.springdata;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.txn.Tx;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction of a store that runs in a thread, where Spring keeps it. */
final class StoreTransaction extends ResourceHolderSupport {

  /** Null in the body of a transaction that the store runs itself. */
  private final @Nullable Session session;

  private final Tx tx;

  StoreTransaction(@Nullable Session session, Tx tx) {
    this.session = session;
    this.tx = tx;
  }

  /** Returns the one of the calling thread, or null. */
  static @Nullable StoreTransaction of(Store store) {
    return (StoreTransaction) TransactionSynchronizationManager.getResource(store);
  }

  @Nullable Session session() {
    return session;
  }

  Tx tx() {
    return tx;
  }
}
