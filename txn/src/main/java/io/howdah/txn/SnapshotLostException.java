package io.howdah.txn;

import io.howdah.core.HowdahException;

/**
 * A read-only transaction has lasted so long, while so much was overwritten, that the state it
 * reads is no longer known. Writers never wait for readers; see {@code Store.read}.
 */
public final class SnapshotLostException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public SnapshotLostException(String message) {
    super(message);
  }
}
