package io.howdah.cli.log;

import io.netty.util.internal.logging.AbstractInternalLogger;
import io.netty.util.internal.logging.FormattingTuple;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.MessageFormatter;
import org.jspecify.annotations.Nullable;

/** Has Netty write to the program's own log. */
public final class NettyLoggers extends InternalLoggerFactory {

  private NettyLoggers() {}

  /** Sets this up; before the first use of Netty. */
  public static void install() {
    setDefaultFactory(new NettyLoggers());
  }

  @Override
  protected InternalLogger newInstance(String name) {
    return new Logger(name);
  }

  @SuppressWarnings("serial") // Netty's loggers are serializable; nobody serializes this one
  private static final class Logger extends AbstractInternalLogger {

    Logger(String name) {
      super(name);
    }

    private void write(System.Logger.Level level, String message, @Nullable Throwable thrown) {
      if (StandardErrorLog.isLoggable(name(), level)) {
        StandardErrorLog.write(level, name(), message, thrown);
      }
    }

    private void write(System.Logger.Level level, FormattingTuple tuple) {
      write(level, String.valueOf(tuple.getMessage()), tuple.getThrowable());
    }

    @Override
    public boolean isTraceEnabled() {
      return StandardErrorLog.isLoggable(name(), System.Logger.Level.TRACE);
    }

    @Override
    public void trace(String message) {
      write(System.Logger.Level.TRACE, message, null);
    }

    @Override
    public void trace(String message, Throwable thrown) {
      write(System.Logger.Level.TRACE, message, thrown);
    }

    @Override
    public void trace(String pattern, Object argument) {
      if (isTraceEnabled()) {
        write(System.Logger.Level.TRACE, MessageFormatter.format(pattern, argument));
      }
    }

    @Override
    public void trace(String pattern, Object first, Object second) {
      if (isTraceEnabled()) {
        write(System.Logger.Level.TRACE, MessageFormatter.format(pattern, first, second));
      }
    }

    @Override
    public void trace(String pattern, Object... arguments) {
      if (isTraceEnabled()) {
        write(System.Logger.Level.TRACE, MessageFormatter.arrayFormat(pattern, arguments));
      }
    }

    @Override
    public boolean isDebugEnabled() {
      return StandardErrorLog.isLoggable(name(), System.Logger.Level.DEBUG);
    }

    @Override
    public void debug(String message) {
      write(System.Logger.Level.DEBUG, message, null);
    }

    @Override
    public void debug(String message, Throwable thrown) {
      write(System.Logger.Level.DEBUG, message, thrown);
    }

    @Override
    public void debug(String pattern, Object argument) {
      if (isDebugEnabled()) {
        write(System.Logger.Level.DEBUG, MessageFormatter.format(pattern, argument));
      }
    }

    @Override
    public void debug(String pattern, Object first, Object second) {
      if (isDebugEnabled()) {
        write(System.Logger.Level.DEBUG, MessageFormatter.format(pattern, first, second));
      }
    }

    @Override
    public void debug(String pattern, Object... arguments) {
      if (isDebugEnabled()) {
        write(System.Logger.Level.DEBUG, MessageFormatter.arrayFormat(pattern, arguments));
      }
    }

    @Override
    public boolean isInfoEnabled() {
      return StandardErrorLog.isLoggable(name(), System.Logger.Level.INFO);
    }

    @Override
    public void info(String message) {
      write(System.Logger.Level.INFO, message, null);
    }

    @Override
    public void info(String message, Throwable thrown) {
      write(System.Logger.Level.INFO, message, thrown);
    }

    @Override
    public void info(String pattern, Object argument) {
      if (isInfoEnabled()) {
        write(System.Logger.Level.INFO, MessageFormatter.format(pattern, argument));
      }
    }

    @Override
    public void info(String pattern, Object first, Object second) {
      if (isInfoEnabled()) {
        write(System.Logger.Level.INFO, MessageFormatter.format(pattern, first, second));
      }
    }

    @Override
    public void info(String pattern, Object... arguments) {
      if (isInfoEnabled()) {
        write(System.Logger.Level.INFO, MessageFormatter.arrayFormat(pattern, arguments));
      }
    }

    @Override
    public boolean isWarnEnabled() {
      return StandardErrorLog.isLoggable(name(), System.Logger.Level.WARNING);
    }

    @Override
    public void warn(String message) {
      write(System.Logger.Level.WARNING, message, null);
    }

    @Override
    public void warn(String message, Throwable thrown) {
      write(System.Logger.Level.WARNING, message, thrown);
    }

    @Override
    public void warn(String pattern, Object argument) {
      if (isWarnEnabled()) {
        write(System.Logger.Level.WARNING, MessageFormatter.format(pattern, argument));
      }
    }

    @Override
    public void warn(String pattern, Object first, Object second) {
      if (isWarnEnabled()) {
        write(System.Logger.Level.WARNING, MessageFormatter.format(pattern, first, second));
      }
    }

    @Override
    public void warn(String pattern, Object... arguments) {
      if (isWarnEnabled()) {
        write(System.Logger.Level.WARNING, MessageFormatter.arrayFormat(pattern, arguments));
      }
    }

    @Override
    public boolean isErrorEnabled() {
      return StandardErrorLog.isLoggable(name(), System.Logger.Level.ERROR);
    }

    @Override
    public void error(String message) {
      write(System.Logger.Level.ERROR, message, null);
    }

    @Override
    public void error(String message, Throwable thrown) {
      write(System.Logger.Level.ERROR, message, thrown);
    }

    @Override
    public void error(String pattern, Object argument) {
      if (isErrorEnabled()) {
        write(System.Logger.Level.ERROR, MessageFormatter.format(pattern, argument));
      }
    }

    @Override
    public void error(String pattern, Object first, Object second) {
      if (isErrorEnabled()) {
        write(System.Logger.Level.ERROR, MessageFormatter.format(pattern, first, second));
      }
    }

    @Override
    public void error(String pattern, Object... arguments) {
      if (isErrorEnabled()) {
        write(System.Logger.Level.ERROR, MessageFormatter.arrayFormat(pattern, arguments));
      }
    }
  }
}
