package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The first read that a restarted server answers. */
public final class FirstHit {

  private static final int REPLY_BYTES = 1 << 16;
  private static final byte[] END = "END\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LINE_END = "\r\n".getBytes(StandardCharsets.US_ASCII);

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
    while (!endsWith(reply, END)) {
      if (!reply.hasRemaining() || channel.read(reply) < 0) {
        String text = StandardCharsets.ISO_8859_1.decode(reply.flip()).toString();
        throw new LoadException(
            "no reply to a get, but '%s'".formatted(text.lines().findFirst().orElse("")));
      }
    }
    return reply.get(0) == 'V';
  }

  /**
   * Reads one record of at most 60 KiB from Redis. While Redis loads its data it refuses reads;
   * then this asks again.
   *
   * @param channel connected, blocking; stays open
   * @return whether the server has the record
   */
  public static boolean readFromRedis(SocketChannel channel, String key)
      throws IOException, InterruptedException {
    byte[] request = ("GET " + key + "\r\n").getBytes(StandardCharsets.US_ASCII);
    while (true) {
      channel.write(ByteBuffer.wrap(request));
      ByteBuffer reply = ByteBuffer.allocate(REPLY_BYTES);
      while (!isWholeRedisReply(reply)) {
        if (channel.read(reply) < 0) {
          throw new LoadException("the connection was closed before the reply to a GET");
        }
      }
      String text = StandardCharsets.ISO_8859_1.decode(reply.flip()).toString();
      if (text.startsWith("-LOADING")) {
        Thread.sleep(1);
      } else if (text.startsWith("$")) {
        return !text.startsWith("$-1");
      } else {
        throw new LoadException("no reply to a GET, but '%s'".formatted(text.strip()));
      }
    }
  }

  /** A value has a line before it and its own end; everything else is one line. */
  private static boolean isWholeRedisReply(ByteBuffer reply) {
    if (!endsWith(reply, LINE_END)) {
      return false;
    }
    if (reply.get(0) != '$' || reply.get(1) == '-') {
      return true;
    }
    String text = StandardCharsets.ISO_8859_1.decode(reply.duplicate().flip()).toString();
    int line = text.indexOf("\r\n");
    return text.length() == line + 2 * LINE_END.length + Integer.parseInt(text.substring(1, line));
  }

  private static boolean endsWith(ByteBuffer reply, byte[] end) {
    int from = reply.position() - end.length;
    return from >= 0 && reply.slice(from, end.length).equals(ByteBuffer.wrap(end));
  }
}
