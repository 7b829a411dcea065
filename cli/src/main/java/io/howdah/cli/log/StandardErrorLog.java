package io.howdah.cli.log;

import java.io.PrintStream;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * The log of the program: events of Howdah, of the JDK and of libraries, on standard error. It does
 * without {@code java.util.logging}, whose set-up takes a tenth of the server's start.
 *
 * <p>Thread-safe: an event is written in one piece.
 */
public final class StandardErrorLog {

  /** Tells of every opening of a store, also if nothing was recovered. */
  private static final String ROUTINE_LOGGER = "io.howdah.store.opening";

  private static volatile System.Logger.Level threshold = System.Logger.Level.INFO;

  /** Whether a log is wanted for itself; what a command prints beside its result is not one. */
  private static volatile boolean isOfServer;

  private static volatile LogFormat format = LogFormat.TEXT;

  private StandardErrorLog() {}

  /**
   * Sets which events of a server are written from now on, and how. From now on, openings of stores
   * that had nothing to recover count as INFO; before, as DEBUG, since most commands open one.
   */
  public static void set(System.Logger.Level least, LogFormat form) {
    isOfServer = true;
    threshold = least;
    format = form;
  }

  /** Sets what it is from the start: what a command writes beside its result. */
  static void ofCommand() {
    isOfServer = false;
  }

  /** Sets which events are written from now on. Any thread. */
  public static void setLevel(System.Logger.Level least) {
    threshold = least;
  }

  static boolean isLoggable(String logger, System.Logger.Level level) {
    System.Logger.Level counted =
        isOfServer && level == System.Logger.Level.DEBUG && logger.equals(ROUTINE_LOGGER)
            ? System.Logger.Level.INFO
            : level;
    return level != System.Logger.Level.OFF && counted.getSeverity() >= threshold.getSeverity();
  }

  static void write(
      System.Logger.Level level, String logger, String message, @Nullable Throwable thrown) {
    String line = format.line(LogFormat.now(), level, logger, message, thrown);
    PrintStream err = System.err;
    err.print(line);
    err.flush();
  }

  /** Writes to the log under a name. */
  record Logger(String name) implements System.Logger {

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return StandardErrorLog.isLoggable(name, level);
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        write(level, name, localized(bundle, message), thrown);
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String pattern,
        @Nullable Object... parameters) {
      if (isLoggable(level)) {
        String text = localized(bundle, pattern);
        boolean fixed = parameters == null || parameters.length == 0;
        write(level, name, fixed ? text : MessageFormat.format(text, parameters), null);
      }
    }

    private static String localized(@Nullable ResourceBundle bundle, @Nullable String key) {
      String text = String.valueOf(key);
      return bundle != null && bundle.containsKey(text) ? bundle.getString(text) : text;
    }
  }
}
