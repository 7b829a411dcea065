package io.howdah.core.engine;

/**
 * Does nothing: the action of what was given none. One class for all of them, where a lambda would
 * have the JVM make a class at each place while a store is opened.
 */
public final class NoAction implements Runnable {

  /** The only one. */
  public static final Runnable NONE = new NoAction();

  private NoAction() {}

  @Override
  public void run() {}
}
