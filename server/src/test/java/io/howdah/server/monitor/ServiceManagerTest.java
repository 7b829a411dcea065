package io.howdah.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServiceManagerTest {

  private static final int TIMEOUT_SECONDS = 60;

  @TempDir Path folder;

  @Test
  void statesAreDatagrams() throws InterruptedException {
    assumeTrue(Epoll.isAvailable());
    Path socket = folder.resolve("notify");
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      Channel channel =
          new Bootstrap()
              .group(loop)
              .channel(EpollDomainDatagramChannel.class)
              .handler(
                  new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                    @Override
                    protected void channelRead0(
                        ChannelHandlerContext context, DomainDatagramPacket packet) {
                      received.add(packet.content().toString(StandardCharsets.US_ASCII));
                    }
                  })
              .bind(new DomainSocketAddress(socket.toFile()))
              .sync()
              .channel();
      ServiceManager manager = new ServiceManager(socket.toString());
      manager.ready();
      manager.stopping();
      assertThat(received.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isEqualTo("READY=1\n");
      assertThat(received.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isEqualTo("STOPPING=1\n");
      channel.close().sync();
    } finally {
      loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void withoutAManagerNothingHappens() {
    new ServiceManager(null).ready();
    new ServiceManager("").ready();
  }

  @Test
  void aManagerThatIsGoneDoesNoHarm() {
    new ServiceManager(folder.resolve("nobody").toString()).ready();
  }
}
