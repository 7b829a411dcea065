package io.howdah.cli.value;

import io.howdah.core.HowdahException;
import org.jspecify.annotations.Nullable;

/**
 * Text that is no value of a codec, or a codec that only the program knows; the message says which.
 */
public final class ValueException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public ValueException(String message) {
    super(message);
  }

  ValueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
