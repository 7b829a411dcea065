package io.howdah.cli.terminal;

import io.howdah.core.HowdahException;

/** A command ends because its standard output cannot be written: it is full, or was closed. */
public final class OutputException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one. */
  public OutputException(String message) {
    super(message);
  }
}
