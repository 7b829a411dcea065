/** The store: opening, transactions, durability, upkeep. A program requires this module only. */
module io.howdah {
  requires jdk.jfr;
  requires java.management;
  requires transitive io.howdah.core;
  requires transitive io.howdah.checkpoint;
  requires transitive io.howdah.collections;
  requires transitive io.howdah.txn;
  requires transitive io.howdah.log;
  requires static org.jspecify;

  exports io.howdah;
  exports io.howdah.archive;

  uses io.howdah.archive.ArchivePlaces;
}
