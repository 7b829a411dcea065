package io.howdah.server.net;

import io.howdah.core.HowdahException;
import org.jspecify.annotations.Nullable;

/** A server cannot listen where it was told to; the message says where and why. */
public final class ListenException extends HowdahException {

  private static final long serialVersionUID = 1L;

  ListenException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
