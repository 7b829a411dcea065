package io.howdah.server.net;

/**
 * What a client has not taken yet of the reply at hand. Changed in the event loop of its connection
 * only; read by any thread.
 */
final class Debt {

  /** The bytes of the reply; 0 for none. */
  private volatile int bytes;

  /** Since when the client is to take it; written before the bytes. */
  private volatile long since;

  void begin(int bytes, long now) {
    since = now;
    this.bytes = bytes;
  }

  void end() {
    bytes = 0;
  }

  int bytes() {
    return bytes;
  }

  long since() {
    return since;
  }

  /** Returns whether a reply has waited for the client since a time, or for longer. */
  boolean isSince(long time) {
    return bytes > 0 && since - time <= 0;
  }
}
