package io.howdah.log.flush;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The log was at its limit, and no commit began until a checkpoint gave some of it back. */
@Name("io.howdah.LogHold")
@Label("Log Hold")
@Category({"Howdah", "Log"})
@StackTrace(false)
final class LogHoldEvent extends Event {

  @Label("Limit")
  @DataAmount
  long limit;
}
