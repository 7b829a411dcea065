/** Transactions, persistent objects and the store. */
module io.howdah.txn {
  requires transitive io.howdah.core;
  requires io.howdah.checkpoint;
  requires io.howdah.log;
  requires static org.jspecify;

  exports io.howdah.txn;
}
