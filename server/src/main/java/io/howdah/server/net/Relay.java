package io.howdah.server.net;

import io.howdah.server.transport.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to a member of a replica group that does not lead. Its bytes go to the
 * leader as they are, TLS and passwords included, and those of the leader to the client. Nothing is
 * read from the client before the leader has accepted the connection; until then it waits, and
 * fails with an error that says that nothing was executed. When the leader changes, the connection
 * ends: the outcome of a command without a reply is unknown, as after any lost connection.
 *
 * <p>Each side is read again only after what it has sent was written to the other one. So a
 * connection holds at most one read in each direction. The leader checks the time limits, and ends
 * its side.
 *
 * <p>All methods run in the event loop, unless they say otherwise.
 */
final class Relay extends ChannelInboundHandlerAdapter {

  private static final String NO_LEADER =
      "SERVER_ERROR no leader of the replica group is known; nothing was executed\r\n";

  /** How often a connection without a leader looks for one. */
  private static final int RETRY_MILLIS = 20;

  private static final int CONNECT_MILLIS = 3000;

  /** What the relays of one server share. Thread-safe. */
  static final class Relays {

    private final Transport transport;
    private final Connections connections;
    private final boolean isPlain;
    private final int waitMillis;
    private final Consumer<Channel> service;
    private final Set<Relay> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isLeading;
    private volatile @Nullable InetSocketAddress leader;

    /**
     * Creates it.
     *
     * @param isPlain whether clients understand text before a handshake
     * @param waitMillis how long a connection waits for a leader
     * @param service serves a connection in this process
     */
    Relays(
        Transport transport,
        Connections connections,
        boolean isPlain,
        int waitMillis,
        Consumer<Channel> service) {
      this.transport = transport;
      this.connections = connections;
      this.isPlain = isPlain;
      this.waitMillis = waitMillis;
      this.service = service;
    }

    /** Tells that this process serves. Connections to another leader end. */
    void leads() {
      leader = null;
      isLeading = true;
      open.forEach(relay -> relay.requestEndUnlessTo(null));
    }

    /**
     * Tells where the leader is. Connections to another one end; if no leader is known, those to
     * the former leader stay.
     */
    void follows(@Nullable InetSocketAddress leader) {
      isLeading = false;
      this.leader = leader;
      if (leader != null) {
        open.forEach(relay -> relay.requestEndUnlessTo(leader));
      }
    }

    int count() {
      return open.size();
    }

    /** Ends all. */
    void close() {
      open.forEach(Relay::requestEnd);
    }
  }

  private final Relays all;

  /** Another member has passed the connection on, so this one does not do it again. */
  private final boolean isPassed;

  private long started;
  private @Nullable Channel client;
  private @Nullable ChannelFuture lastToClient;
  private @Nullable ChannelFuture lastToLeader;
  private @Nullable Channel upstream;

  /** The address of {@link #upstream}, or of the one to which it is being connected. */
  private volatile @Nullable InetSocketAddress target;

  /**
   * What has arrived before there was a leader: a socket is read without being asked when its
   * client ends its output, until there is nothing left. So the kernel's buffer bounds it.
   */
  private final Queue<Object> early = new ArrayDeque<>();

  /** The client sends nothing any more. */
  private boolean isInputOver;

  private boolean isEnded;

  Relay(Relays all, boolean isPassed) {
    this.all = all;
    this.isPassed = isPassed;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    client = context.channel();
    started = System.nanoTime();
    all.open.add(this);
    seek(context.channel());
  }

  private void seek(Channel client) {
    if (isEnded) {
      return;
    }
    InetSocketAddress leader = all.leader;
    if (all.isLeading) {
      serveHere(client);
    } else if (leader != null && !isPassed) {
      connect(client, leader);
    } else {
      seekLater(client);
    }
  }

  private void seekLater(Channel client) {
    target = null;
    if (System.nanoTime() - started >= TimeUnit.MILLISECONDS.toNanos(all.waitMillis)) {
      refuse(client);
    } else {
      var _ = client.eventLoop().schedule(() -> seek(client), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void refuse(Channel client) {
    isEnded = true;
    dropEarly();
    if (all.isPlain) {
      client
          .writeAndFlush(Unpooled.copiedBuffer(NO_LEADER, StandardCharsets.US_ASCII))
          .addListener(_ -> LingeringClose.begin(client));
    } else {
      ChannelFuture _ = client.close(); // no words before the handshake
    }
  }

  /** This process leads by now: the connection becomes one that is served here. */
  private void serveHere(Channel client) {
    isEnded = true;
    client.pipeline().remove(this); // gives the place of the connection back
    if (!client.isActive()) {
      dropEarly();
      return;
    }
    all.service.accept(client);
    if (isInputOver) {
      // Never read again: epoll has dropped a socket whose input is over.
      early.forEach(client.pipeline()::fireChannelRead);
      early.clear();
      client.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      return;
    }
    client.pipeline().fireChannelActive();
    if (!early.isEmpty()) {
      early.forEach(client.pipeline()::fireChannelRead);
      early.clear();
      client.pipeline().fireChannelReadComplete();
    }
  }

  private void dropEarly() {
    early.forEach(ReferenceCountUtil::release);
    early.clear();
  }

  private void connect(Channel client, InetSocketAddress leader) {
    target = leader;
    new Bootstrap()
        .group(client.eventLoop())
        .channel(all.transport.client())
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .handler(new LeaderSide())
        .connect(leader)
        .addListener(
            (ChannelFuture connected) -> {
              if (!connected.isSuccess()) {
                seekLater(client);
              } else if (isEnded) {
                ChannelFuture _ = connected.channel().close();
              } else if (!leader.equals(all.leader)) { // another one leads since, or this process
                ChannelFuture _ = connected.channel().close();
                seek(client);
              } else {
                begin(client, connected.channel());
              }
            });
  }

  private void begin(Channel client, Channel leader) {
    upstream = leader;
    for (Object message = early.poll(); message != null; message = early.poll()) {
      lastToLeader = leader.writeAndFlush(message);
    }
    if (isInputOver) {
      after(lastToLeader, () -> endOutput(leader));
    } else {
      readAfter(lastToLeader, client, () -> !isInputOver);
    }
    leader.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel leader = upstream;
    if (isEnded) {
      ReferenceCountUtil.release(message);
    } else if (leader == null) {
      early.add(message);
    } else {
      lastToLeader = leader.writeAndFlush(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (upstream != null) {
      readAfter(lastToLeader, context.channel(), () -> !isInputOver);
    }
  }

  /** Reads once what was read before has been written, if the side may have something to say. */
  private void readAfter(@Nullable ChannelFuture written, Channel from, BooleanSupplier isOpen) {
    if (written != null) {
      written.addListener(
          done -> {
            if (!done.isSuccess()) {
              end();
            } else if (!isEnded && isOpen.getAsBoolean()) {
              from.read();
            }
          });
    } else if (!isEnded && isOpen.getAsBoolean()) {
      from.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      isInputOver = true;
      Channel leader = upstream;
      if (leader != null) {
        after(lastToLeader, () -> endOutput(leader));
      }
    }
    super.userEventTriggered(context, event);
  }

  private static void endOutput(Channel channel) {
    if (channel instanceof DuplexChannel duplex && channel.isActive()) {
      ChannelFuture _ = duplex.shutdownOutput();
    }
  }

  private static void after(@Nullable ChannelFuture written, Runnable action) {
    if (written == null) {
      action.run();
    } else {
      written.addListener(_ -> action.run());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    end();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    all.open.remove(this);
    all.connections.giveBack();
  }

  /** Ends both sides, behind the last reply that the leader has sent. */
  private void end() {
    if (isEnded) {
      return;
    }
    isEnded = true;
    dropEarly();
    Channel leader = upstream;
    if (leader != null) {
      ChannelFuture _ = leader.close();
    }
    Channel client = this.client;
    if (client != null) {
      after(lastToClient, () -> LingeringClose.begin(client));
    }
  }

  /** Ends the connection. Any thread. */
  private void requestEnd() {
    Channel client = this.client;
    if (client != null) {
      client.eventLoop().execute(this::end);
    }
  }

  /** Ends the connection if it goes to another address. Any thread. */
  private void requestEndUnlessTo(@Nullable InetSocketAddress leader) {
    Channel client = this.client;
    if (client != null) {
      client
          .eventLoop()
          .execute(
              () -> {
                if (upstream != null && !Objects.equals(target, leader)) {
                  end();
                }
              });
    }
  }

  /** The connection to the leader. */
  private final class LeaderSide extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Channel client = Relay.this.client;
      if (client == null || isEnded) {
        ReferenceCountUtil.release(message);
      } else {
        lastToClient = client.writeAndFlush(message);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      readAfter(lastToClient, context.channel(), () -> true);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      if (event == ChannelInputShutdownEvent.INSTANCE) {
        end(); // the leader has nothing more to say
      }
      super.userEventTriggered(context, event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      end();
    }
  }
}
