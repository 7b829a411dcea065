package io.howdah.replica;

import io.howdah.core.HowdahException;

/**
 * The cause of a {@link io.howdah.core.StoreFailedException}: the node has ceased to lead, and its
 * store has stopped. A transaction that gets it may have happened or not. Another node leads, or
 * will.
 */
public final class LeadershipLostException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with what the node has seen. */
  public LeadershipLostException(String message) {
    super(message);
  }
}
