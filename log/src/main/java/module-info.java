/** The partitioned redo log and its recovery scan. */
module io.howdah.log {
  exports io.howdah.log;
  exports io.howdah.log.recovery;

  requires jdk.jfr;
  requires transitive io.howdah.core;
  requires org.jctools.core.jdk11;
  requires static org.jspecify;
}
