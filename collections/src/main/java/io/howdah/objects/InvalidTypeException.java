package io.howdah.objects;

import io.howdah.core.HowdahException;
import org.jspecify.annotations.Nullable;

/**
 * An interface cannot be the type of persistent objects, or not with what the store holds of it.
 */
public final class InvalidTypeException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  InvalidTypeException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  InvalidTypeException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
