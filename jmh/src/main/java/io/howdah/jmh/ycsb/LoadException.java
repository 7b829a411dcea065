package io.howdah.jmh.ycsb;

import io.howdah.core.HowdahException;

/** The load cannot go on: no server, a lost connection, or a wrong reply. */
public final class LoadException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with what happened and where. */
  public LoadException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public LoadException(String message, Throwable cause) {
    super(message, cause);
  }
}
