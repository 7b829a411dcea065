package io.howdah.checkpoint.recovery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The deferred replay, from the opening of the store to the last word. */
@Name("io.howdah.Replay")
@Label("Replay")
@Category({"Howdah", "Recovery"})
@StackTrace(false)
final class ReplayEvent extends Event {

  @Label("Words")
  long words;

  @Label("Chunks on demand")
  long chunksOnDemand;
}
