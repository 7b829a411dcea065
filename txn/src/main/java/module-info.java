/** Transactions, persistent objects and the store. */
module io.howdah.txn {
  requires jdk.jfr;
  requires java.management;
  requires transitive io.howdah.core;
  requires transitive io.howdah.checkpoint;
  requires transitive io.howdah.log;
  requires static org.jspecify;

  exports io.howdah.txn;
  exports io.howdah.txn.codec;
}
