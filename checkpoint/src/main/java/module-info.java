/** The region's image on disk, and applying a recovery to it. */
@SuppressWarnings("module") // the modules exported to are built after this one
module io.howdah.checkpoint {
  exports io.howdah.checkpoint to
      io.howdah,
      io.howdah.txn;
  exports io.howdah.checkpoint.recovery to
      io.howdah,
      io.howdah.txn;
  exports io.howdah.checkpoint.report;

  requires jdk.jfr;
  requires transitive io.howdah.core;
  requires transitive io.howdah.log;
  requires static org.jspecify;
}
