package io.howdah.core.report;

import java.util.function.Supplier;

/**
 * A logger of the program that is looked up when there is something to log. The first look-up of a
 * new JVM finds and starts the program's logging, which takes 10 ms and more; an opening that has
 * nothing to say does not wait for it. Thread-safe.
 */
public final class LateLogger implements Supplier<System.Logger> {

  private final String name;

  /**
   * Creates one.
   *
   * @param name of the logger
   */
  public LateLogger(String name) {
    this.name = name;
  }

  /** Returns the logger; the same one each time, as far as the program's logging keeps it. */
  @Override
  public System.Logger get() {
    return System.getLogger(name);
  }
}
