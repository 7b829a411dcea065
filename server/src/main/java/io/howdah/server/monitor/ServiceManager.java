package io.howdah.server.monitor;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells the service manager that started this process what state it is in: systemd's protocol of
 * one datagram a state, to the unix socket that {@code NOTIFY_SOCKET} names. Without that variable
 * nothing happens. The JDK has no such sockets, so this needs Netty's epoll.
 */
public final class ServiceManager {

  private static final System.Logger LOG = System.getLogger(ServiceManager.class.getName());
  private static final int TIMEOUT_SECONDS = 5;

  private final @Nullable String socket;

  /** Takes the socket from the environment. */
  public ServiceManager() {
    this(System.getenv("NOTIFY_SOCKET"));
  }

  ServiceManager(@Nullable String socket) {
    this.socket = socket == null || socket.isEmpty() ? null : socket;
  }

  /** Tells that the server serves. */
  public void ready() {
    send("READY=1\n");
  }

  /** Tells that the server stops. */
  public void stopping() {
    send("STOPPING=1\n");
  }

  /** A manager that cannot be told does not keep the server from serving. */
  private void send(String state) {
    String path = socket;
    if (path == null) {
      return;
    }
    if (!Epoll.isAvailable()) {
      LOG.log(System.Logger.Level.WARNING, "the service manager cannot be told: there is no epoll");
      return;
    }
    // An at sign stands for the zero byte that begins an abstract address.
    String address = path.startsWith("@") ? "\0" + path.substring(1) : path;
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      Channel channel =
          new Bootstrap()
              .group(loop)
              .channel(EpollDomainDatagramChannel.class)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(new DomainSocketAddress(address))
              .syncUninterruptibly()
              .channel();
      channel
          .writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.US_ASCII))
          .syncUninterruptibly();
      channel.close().syncUninterruptibly();
    } catch (Exception e) { // also IOExceptions that Netty does not declare
      LOG.log(System.Logger.Level.WARNING, "the service manager cannot be told: " + e.getMessage());
    } finally {
      loop.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
