package io.howdah.server.transport;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The classes of one transport, chosen when the server starts. Only the chosen one's native library
 * is loaded.
 *
 * @param kind which one; never {@link TransportKind#AUTO}
 * @param handlers what an event loop waits with
 * @param tcp the class of a listening TCP socket
 * @param client the class of a TCP socket that connects
 * @param unix the class of a listening unix domain socket
 * @param unixAddress makes the address of a unix domain socket
 */
public record Transport(
    TransportKind kind,
    IoHandlerFactory handlers,
    Class<? extends ServerChannel> tcp,
    Class<? extends Channel> client,
    Class<? extends ServerChannel> unix,
    Function<Path, SocketAddress> unixAddress) {

  /**
   * Returns the transport of a kind.
   *
   * @throws TransportUnavailableException if it does not work on this machine
   */
  public static Transport of(TransportKind kind) {
    return switch (kind) {
      case AUTO -> Epoll.isAvailable() ? epoll() : nio();
      case EPOLL -> {
        require("epoll", Epoll.unavailabilityCause());
        yield epoll();
      }
      case IO_URING -> {
        require("io_uring", IoUring.unavailabilityCause());
        yield ioUring();
      }
      case NIO -> nio();
    };
  }

  private static void require(String name, @Nullable Throwable cause) {
    if (cause != null) {
      throw new TransportUnavailableException(
          "the transport " + name + " does not work on this machine: " + rootMessage(cause));
    }
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    for (Throwable next = root.getCause(); next != null; next = root.getCause()) {
      root = next;
    }
    return String.valueOf(root.getMessage());
  }

  private static Transport epoll() {
    return new Transport(
        TransportKind.EPOLL,
        EpollIoHandler.newFactory(),
        EpollServerSocketChannel.class,
        EpollSocketChannel.class,
        EpollServerDomainSocketChannel.class,
        path -> new DomainSocketAddress(path.toFile()));
  }

  private static Transport ioUring() {
    return new Transport(
        TransportKind.IO_URING,
        IoUringIoHandler.newFactory(),
        IoUringServerSocketChannel.class,
        IoUringSocketChannel.class,
        IoUringServerDomainSocketChannel.class,
        path -> new DomainSocketAddress(path.toFile()));
  }

  private static Transport nio() {
    return new Transport(
        TransportKind.NIO,
        NioIoHandler.newFactory(),
        NioServerSocketChannel.class,
        NioSocketChannel.class,
        NioServerDomainSocketChannel.class,
        UnixDomainSocketAddress::of);
  }
}
