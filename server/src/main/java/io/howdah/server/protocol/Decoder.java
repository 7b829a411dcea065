package io.howdah.server.protocol;

import java.nio.ByteBuffer;

/** One connection's state in one protocol. For one thread at a time. */
abstract sealed class Decoder permits TextDecoder, BinaryDecoder {

  /**
   * Takes at least one byte, or goes on with a reply that {@link #hasMore}. Runs at most one
   * command.
   */
  abstract void take(ByteBuffer input, Reply reply);

  /** Returns whether the connection is to be closed. */
  abstract boolean isClosed();

  /** Returns whether a command has begun to arrive and has not ended. */
  abstract boolean isWithinCommand();

  /** Returns whether a command has more to reply. */
  abstract boolean hasMore();

  /** Returns the number of bytes held between calls, about. */
  abstract int heldBytes();
}
