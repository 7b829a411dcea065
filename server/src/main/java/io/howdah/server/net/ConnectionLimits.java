package io.howdah.server.net;

import java.time.Duration;

/**
 * What clients may ask for. A duration of zero is no limit.
 *
 * @param maxConnections at once; one more is told so and closed
 * @param commandsPerTurn that one connection may run before others get their turn
 * @param idleTimeout how long a connection may be silent between commands
 * @param requestTimeout how long a command may take to arrive
 * @param writeTimeout how long a client may take to accept a reply
 * @param maxUnsentBytes of replies that wait for their clients, in all connections; beyond it
 *     connections wait before they run commands
 * @param maxPartialBytes of commands and values that have not arrived completely, in all
 *     connections; the connection that goes beyond it is closed
 */
public record ConnectionLimits(
    int maxConnections,
    int commandsPerTurn,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration writeTimeout,
    long maxUnsentBytes,
    long maxPartialBytes) {

  /** The most connections. */
  public static final int MAX_CONNECTIONS = 1 << 20;

  /** The longest timeout: a week. */
  public static final Duration MAX_TIMEOUT = Duration.ofDays(7);

  private static final long MIN_BYTES = 1 << 20;
  private static final long MAX_BYTES = 1L << 40;

  /** memcached's numbers where it has such limits. */
  public static final ConnectionLimits DEFAULTS =
      new ConnectionLimits(
          1024,
          20,
          Duration.ZERO,
          Duration.ofSeconds(60),
          Duration.ofSeconds(60),
          128L << 20,
          128L << 20);

  /** Checks the numbers. */
  public ConnectionLimits {
    check("the number of connections", maxConnections, 1, MAX_CONNECTIONS);
    check("the number of commands in a turn", commandsPerTurn, 1, Integer.MAX_VALUE);
    check("the bytes of unsent replies", maxUnsentBytes, MIN_BYTES, MAX_BYTES);
    check("the bytes of partial commands", maxPartialBytes, MIN_BYTES, MAX_BYTES);
    for (Duration timeout : new Duration[] {idleTimeout, requestTimeout, writeTimeout}) {
      if (timeout.isNegative() || timeout.compareTo(MAX_TIMEOUT) > 0) {
        throw new IllegalArgumentException(
            "a timeout is 0 to " + MAX_TIMEOUT.toSeconds() + " s, not " + timeout.toSeconds());
      }
    }
  }

  /** Returns these limits with another number of connections. */
  public ConnectionLimits withMaxConnections(int count) {
    return new ConnectionLimits(
        count,
        commandsPerTurn,
        idleTimeout,
        requestTimeout,
        writeTimeout,
        maxUnsentBytes,
        maxPartialBytes);
  }

  /** Returns these limits with another number of commands in a turn. */
  public ConnectionLimits withCommandsPerTurn(int count) {
    return new ConnectionLimits(
        maxConnections,
        count,
        idleTimeout,
        requestTimeout,
        writeTimeout,
        maxUnsentBytes,
        maxPartialBytes);
  }

  /** Returns these limits with other timeouts, zero for none. */
  public ConnectionLimits withTimeouts(Duration idle, Duration request, Duration write) {
    return new ConnectionLimits(
        maxConnections, commandsPerTurn, idle, request, write, maxUnsentBytes, maxPartialBytes);
  }

  /** Returns these limits with other numbers of bytes, of all connections together. */
  public ConnectionLimits withMaxBytes(long unsent, long partial) {
    return new ConnectionLimits(
        maxConnections,
        commandsPerTurn,
        idleTimeout,
        requestTimeout,
        writeTimeout,
        unsent,
        partial);
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + min + " to " + max + ", not " + value);
    }
  }
}
