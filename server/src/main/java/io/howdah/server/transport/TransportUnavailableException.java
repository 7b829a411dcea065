package io.howdah.server.transport;

import io.howdah.core.HowdahException;

/** The transport that was asked for does not work on this machine; the message says why. */
public final class TransportUnavailableException extends HowdahException {

  private static final long serialVersionUID = 1L;

  TransportUnavailableException(String message) {
    super(message);
  }
}
