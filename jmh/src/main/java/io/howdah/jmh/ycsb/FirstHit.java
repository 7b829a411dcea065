package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The first read that a restarted server answers. */
public final class FirstHit {

  private static final int REPLY_BYTES = 1 << 16;
  private static final byte[] END = "END\r\n".getBytes(StandardCharsets.US_ASCII);

  private FirstHit() {}

  /**
   * Reads one record, of at most 60 KiB.
   *
   * @param channel connected, blocking; stays open
   * @return whether the server has the record
   */
  public static boolean read(SocketChannel channel, String key) throws IOException {
    channel.write(ByteBuffer.wrap(("get " + key + "\r\n").getBytes(StandardCharsets.US_ASCII)));
    ByteBuffer reply = ByteBuffer.allocate(REPLY_BYTES);
    while (!endsWithEnd(reply)) {
      if (!reply.hasRemaining() || channel.read(reply) < 0) {
        String text = StandardCharsets.ISO_8859_1.decode(reply.flip()).toString();
        throw new LoadException(
            "no reply to a get, but '%s'".formatted(text.lines().findFirst().orElse("")));
      }
    }
    return reply.get(0) == 'V';
  }

  private static boolean endsWithEnd(ByteBuffer reply) {
    int from = reply.position() - END.length;
    return from >= 0 && reply.slice(from, END.length).equals(ByteBuffer.wrap(END));
  }
}
