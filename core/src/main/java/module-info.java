/** Off-heap memory, on-disk layouts, the storage port and the errors of Howdah. */
@SuppressWarnings("module") // the modules exported to are built after this one
module io.howdah.core {
  requires static org.jspecify;
  requires jdk.jfr;
  // Direct I/O: ExtendedOpenOption.DIRECT lives there and is looked up by name.
  requires jdk.unsupported;

  exports io.howdah.core;
  exports io.howdah.core.engine to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.log,
      io.howdah.txn;
  exports io.howdah.core.layout to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.collections,
      io.howdah.log,
      io.howdah.nvmsim,
      io.howdah.testkit,
      io.howdah.txn;
  exports io.howdah.core.report to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.collections,
      io.howdah.log,
      io.howdah.txn;
  exports io.howdah.core.storage;
  exports io.howdah.core.storage.file to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.collections,
      io.howdah.log,
      io.howdah.testkit,
      io.howdah.txn;
  exports io.howdah.core.superblock to
      io.howdah,
      io.howdah.checkpoint,
      io.howdah.collections,
      io.howdah.log,
      io.howdah.nvmsim,
      io.howdah.testkit,
      io.howdah.txn;
}
