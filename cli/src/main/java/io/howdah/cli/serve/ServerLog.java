package io.howdah.cli.serve;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What of Howdah's log goes to standard error. */
final class ServerLog {

  /** Held, because the log manager forgets loggers, and their levels, that nobody holds. */
  private static final Logger HOWDAH = Logger.getLogger("io.howdah");

  private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

  private ServerLog() {}

  /**
   * Sets what is written: one line an event, with the time in ISO 8601.
   *
   * @param verbosity 0 for what needs an operator, 1 for what happens to the server, 2 for what
   *     happens to connections, too
   */
  static void set(int verbosity) {
    if (System.getProperty(FORMAT) == null) {
      System.setProperty(FORMAT, "%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s %5$s%6$s%n");
    }
    Level level = verbosity == 0 ? Level.WARNING : verbosity == 1 ? Level.INFO : Level.FINE;
    HOWDAH.setLevel(level);
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      handler.setLevel(level);
    }
  }
}
