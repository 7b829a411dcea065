package io.howdah.cli.catalogue;

import io.howdah.core.HowdahException;
import org.jspecify.annotations.Nullable;

/** A file or a map that is not what it was said to be; the message names the place. */
public final class DataException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one. */
  public DataException(String message) {
    super(message);
  }

  /** Creates one with its cause. */
  public DataException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
