package io.howdah.jmh.peers;

/** A store could not be opened or used; the message says why. */
public final class PeerFailedException extends Exception {

  private static final long serialVersionUID = 1;

  PeerFailedException(String message) {
    super(message);
  }
}
