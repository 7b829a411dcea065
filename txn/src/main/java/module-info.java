/** Transactions over the words of a region, and the allocator. */
@SuppressWarnings("module") // the modules exported to are built after this one
module io.howdah.txn {
  requires jdk.jfr;
  requires transitive io.howdah.core;
  requires io.howdah.checkpoint;
  requires io.howdah.log;
  requires static org.jspecify;

  exports io.howdah.txn;
  exports io.howdah.txn.alloc to
      io.howdah,
      io.howdah.collections;
  exports io.howdah.txn.stm to
      io.howdah;
  exports io.howdah.txn.words to
      io.howdah,
      io.howdah.collections;
}
