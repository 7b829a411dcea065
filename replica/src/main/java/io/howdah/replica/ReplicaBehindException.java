package io.howdah.replica;

import io.howdah.core.HowdahException;

/** The node has no state to read yet. It replays the group's log; try again later. */
public final class ReplicaBehindException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one that names the node. */
  public ReplicaBehindException(String message) {
    super(message);
  }
}
