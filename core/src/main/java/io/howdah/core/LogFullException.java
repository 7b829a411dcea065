package io.howdah.core;

import org.jspecify.annotations.Nullable;

/**
 * The log cannot grow: the file system is full, or the log is as long as it may get and checkpoints
 * do not keep up. Reads go on; the commit did not happen and may be repeated once there is space.
 *
 * <p>A commit that got its record into a ring has happened, and gets none of this: one that asked
 * for durability waits for the space, for a limited time, and then gets an exception of its own
 * ({@code NotYetDurableException}).
 */
public final class LogFullException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public LogFullException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public LogFullException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
