package io.howdah.server.protocol;

/** Which of memcached's protocols a connection may speak. */
public enum WireProtocol {
  /** The first byte of a connection decides: 0x80 is binary, all others are text. */
  AUTO,
  /** Text, with the meta commands. */
  TEXT,
  /** Binary alone. A connection that begins with another byte is closed. */
  BINARY
}
