package io.howdah.log.flush;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A batch was written and forced. */
@Name("io.howdah.Batch")
@Label("Batch")
@Category({"Howdah", "Log"})
@StackTrace(false)
final class BatchEvent extends Event {

  @Label("Written")
  @DataAmount
  long bytes;

  @Label("Sequence")
  long sequence;

  @Label("LSN bound")
  long maxLsn;
}
