/** The partitioned redo log and its recovery scan. */
@SuppressWarnings("module") // the modules exported to are built after this one
module io.howdah.log {
  exports io.howdah.log to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.txn;
  exports io.howdah.log.commit to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.txn;
  exports io.howdah.log.flush to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.txn;
  exports io.howdah.log.recovery to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.txn;
  exports io.howdah.log.report;

  requires jdk.jfr;
  requires transitive io.howdah.core;
  requires org.jctools.core.jdk11;
  requires static org.jspecify;
}
