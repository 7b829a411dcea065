package io.howdah.log.flush;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Commits wait and the log makes no progress. Emitted with each warning and at the end. */
@Name("io.howdah.LogStall")
@Label("Log Stall")
@Category({"Howdah", "Log"})
@StackTrace(false)
final class LogStallEvent extends Event {

  @Label("Reason")
  String reason = "";

  @Label("Partition, -1 for All")
  int partition;

  @Label("Stable LSN")
  long stableLsn;

  @Label("Newest LSN")
  long newestLsn;

  @Label("Lasting")
  @Timespan(Timespan.NANOSECONDS)
  long lastingNanos;

  @Label("Over")
  boolean over;
}
