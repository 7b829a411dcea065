package io.howdah.server.items;

import io.howdah.txn.TxOptions;

/** How the transactions on items run. */
final class ItemTransactions {

  static final TxOptions WRITES = TxOptions.async();

  /** A read in another mode would wait for the disk, within the event loop. */
  static final TxOptions READS = TxOptions.async().withReadOnly();

  private ItemTransactions() {}
}
