package io.howdah.server.net;

import io.howdah.server.protocol.ProtocolOptions;
import java.net.InetSocketAddress;

/**
 * How a server serves.
 *
 * @param address where it listens; port 0 takes a free one
 * @param threads of the event loop
 * @param maxConnections more are told so and closed
 * @param mode what a reply promises
 * @param maxItemBytes the largest item
 * @param flushAllowed whether {@code flush_all} is obeyed
 * @param maxBytes what all items may take
 * @param evicts whether unused items make room for others
 */
public record ServerOptions(
    InetSocketAddress address,
    int threads,
    int maxConnections,
    ReplyMode mode,
    int maxItemBytes,
    boolean flushAllowed,
    long maxBytes,
    boolean evicts) {

  /** memcached's port. */
  public static final int DEFAULT_PORT = 11211;

  /** Checks the numbers. */
  public ServerOptions {
    if (threads < 1 || maxConnections < 1) {
      throw new IllegalArgumentException(
          "threads and connections are at least 1, not " + threads + " and " + maxConnections);
    }
  }

  ProtocolOptions protocol() {
    return new ProtocolOptions(maxItemBytes, flushAllowed, "1.6.45-howdah");
  }
}
