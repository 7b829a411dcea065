package io.howdah.codec;

import io.howdah.core.HowdahException;
import org.jspecify.annotations.Nullable;

/** A value cannot be encoded, or bytes cannot be decoded; names the codec. */
public final class CodecException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /** Creates one with a message for the person who has to act. */
  public CodecException(String message) {
    super(message);
  }

  /** Creates one that another failure led to. */
  public CodecException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
