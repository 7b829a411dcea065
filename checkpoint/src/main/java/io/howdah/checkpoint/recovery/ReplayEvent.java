package io.howdah.checkpoint.recovery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The replay of what an opening has left for later, from the opening on to the last word. */
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
