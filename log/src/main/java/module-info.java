/** The partitioned redo log and its recovery scan. */
module io.howdah.log {
  requires transitive io.howdah.core;
  requires static org.jspecify;
}
