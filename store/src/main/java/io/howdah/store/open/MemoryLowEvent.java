package io.howdah.store.open;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The process has used more than nine tenths of the memory that it may use. */
@Name("io.howdah.MemoryLow")
@Label("Memory Low")
@Category({"Howdah", "Memory"})
@StackTrace(false)
final class MemoryLowEvent extends Event {

  @Label("Used")
  @DataAmount
  long used;

  @Label("Limit")
  @DataAmount
  long limit;
}
