package io.howdah.replica;

import io.howdah.core.HowdahException;

/** The node does not lead at present, so it has no store. Nothing was done. */
public final class NotLeaderException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one that names the node. */
  public NotLeaderException(String message) {
    super(message);
  }
}
