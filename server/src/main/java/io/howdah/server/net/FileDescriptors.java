package io.howdah.server.net;

import com.sun.management.UnixOperatingSystemMXBean;
import io.howdah.core.HowdahException;
import java.lang.management.ManagementFactory;

/**
 * How many connections the process can have by its limit of file descriptors. Without one left, a
 * new client would wait for ever, and the store could make no segment of its log.
 */
final class FileDescriptors {

  private static final System.Logger LOG = System.getLogger(FileDescriptors.class.getName());

  /** For the store's files, event loops and libraries that are opened later. */
  static final int RESERVED = 96;

  /** A server for fewer clients is not started. */
  static final int MIN_CONNECTIONS = 8;

  private FileDescriptors() {}

  /**
   * Returns limits with as many connections as this process can have, and logs it if these are
   * fewer than asked for.
   *
   * @throws HowdahException if it can have next to none
   */
  static ConnectionLimits fit(ConnectionLimits limits) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? fit(limits, system.getMaxFileDescriptorCount(), system.getOpenFileDescriptorCount())
        : limits;
  }

  /**
   * As {@link #fit(ConnectionLimits)}.
   *
   * @param most that the process may have open
   * @param open that it has open now
   */
  static ConnectionLimits fit(ConnectionLimits limits, long most, long open) {
    long left = most - open - RESERVED;
    if (left >= limits.maxConnections()) {
      return limits;
    }
    if (left < MIN_CONNECTIONS) {
      throw new HowdahException(
          "the limit of open files, "
              + most
              + ", leaves no room for connections; raise it (ulimit -n, LimitNOFILE) to at least "
              + (open + RESERVED + limits.maxConnections()));
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "the limit of open files, "
            + most
            + ", allows "
            + left
            + " connections, not "
            + limits.maxConnections()
            + "; raise it (ulimit -n, LimitNOFILE) to at least "
            + (open + RESERVED + limits.maxConnections()));
    return limits.withMaxConnections((int) left);
  }
}
