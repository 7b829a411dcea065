package io.howdah.server.protocol;

import io.howdah.server.cache.ValueReader;

/** A large value, which is appended piece by piece as the client takes it. */
public final class ValueReply implements Continuation {

  private final ValueReader reader;
  private final boolean endsLine;
  private int sent;

  /**
   * Makes a reply that closes its reader.
   *
   * @param endsLine whether a line end follows the value
   */
  public ValueReply(ValueReader reader, boolean endsLine) {
    this.reader = reader;
    this.endsLine = endsLine;
  }

  @Override
  public boolean next(Reply reply) {
    byte[] piece = reader.next();
    if (piece != null) {
      reply.add(piece);
      sent += piece.length;
      if (sent < reader.length()) {
        return true;
      }
    }
    if (endsLine) {
      reply.endLine();
    }
    release();
    return false;
  }

  @Override
  public void release() {
    reader.close();
  }
}
