package io.howdah.server.transport;

/** How a server waits for its sockets. */
public enum TransportKind {
  /** {@link #EPOLL} where it is available, else {@link #NIO}. */
  AUTO,
  /** Linux's epoll, through Netty's native library. */
  EPOLL,
  /** Linux's io_uring, through Netty's native library. */
  IO_URING,
  /** The JDK's selectors: everywhere. */
  NIO
}
