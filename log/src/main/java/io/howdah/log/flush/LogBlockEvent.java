package io.howdah.log.flush;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Commits were blocked: the log was at its maximum length until a checkpoint freed segments. */
@Name("io.howdah.LogBlock")
@Label("Log Block")
@Category({"Howdah", "Log"})
@StackTrace(false)
final class LogBlockEvent extends Event {

  @Label("Limit")
  @DataAmount
  long limit;
}
