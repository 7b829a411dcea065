package io.howdah.cli.log;

/** Makes {@link System#getLogger} write to the program's own log. */
public final class StandardErrorLoggerFinder extends System.LoggerFinder {

  /** Creates it; called by the JDK. */
  public StandardErrorLoggerFinder() {}

  @Override
  public System.Logger getLogger(String name, Module module) {
    return new StandardErrorLog.Logger(name);
  }
}
