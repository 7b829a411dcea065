package io.howdah.cli.json;

import io.howdah.core.HowdahException;

/** A file that a user has named for a result cannot be written. */
final class JsonFileException extends HowdahException {

  private static final long serialVersionUID = 1L;

  JsonFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
