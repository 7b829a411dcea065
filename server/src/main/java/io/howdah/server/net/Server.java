package io.howdah.server.net;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.items.ServerClock;
import io.howdah.server.items.Sweep;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Session;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A memcached server whose items are in a Howdah store. Thread-safe. */
public final class Server implements AutoCloseable {

  private static final int RECLAIMED_KEYS = 2048;
  private static final int CLOSE_SECONDS = 10;

  private final ServerOptions options;
  private final Store store;
  private final ItemStore items;
  private final CommandCounters counters = new CommandCounters();
  private final ProtocolOptions protocol;
  private final AtomicInteger connections = new AtomicInteger();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final MultiThreadIoEventLoopGroup loops;
  private final ScheduledExecutorService reclaimer;
  private final Channel listener;

  /**
   * Opens the store and starts to listen.
   *
   * @param directory of the store; not used in {@link ReplyMode#NONE}
   */
  public Server(Path directory, ServerOptions options) {
    this.options = options;
    this.protocol = options.protocol();
    // Nodes of the index and free space among blocks come on top of what items count.
    StoreOptions size = StoreOptions.defaults().withMaxSize(2 * options.maxBytes() + (64L << 20));
    this.store =
        options.mode() == ReplyMode.NONE ? Store.inMemory(size) : Store.open(directory, size);
    boolean waits = options.mode() == ReplyMode.SYNC;
    this.items =
        new ItemStore(
            store,
            new ItemStoreOptions(options.maxBytes(), options.evicts(), waits, new ServerClock()));
    this.loops = new MultiThreadIoEventLoopGroup(options.threads(), NioIoHandler.newFactory());
    try {
      this.listener =
          new ServerBootstrap()
              .group(loops)
              .channel(NioServerSocketChannel.class)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childOption(ChannelOption.AUTO_READ, false)
              .childHandler(
                  new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                      accept(channel, waits);
                    }
                  })
              .bind(options.address())
              .syncUninterruptibly()
              .channel();
    } catch (RuntimeException e) {
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
      store.close();
      throw e;
    }
    this.reclaimer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("howdah-reclaim").daemon().factory());
    Sweep sweep = items.sweep();
    ScheduledFuture<?> _ =
        reclaimer.scheduleWithFixedDelay(() -> reclaim(sweep), 1, 1, TimeUnit.SECONDS);
  }

  private void reclaim(Sweep sweep) {
    try {
      items.reclaim(sweep, RECLAIMED_KEYS);
    } catch (HowdahException _) {
      // The next turn tries again. A store that has stopped refuses every command, too.
    }
  }

  private void accept(SocketChannel channel, boolean waits) {
    if (connections.incrementAndGet() > options.maxConnections()) {
      connections.decrementAndGet();
      channel
          .writeAndFlush(
              Unpooled.copiedBuffer(
                  "ERROR Too many open connections\r\n", StandardCharsets.US_ASCII))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    channel.closeFuture().addListener(_ -> connections.decrementAndGet());
    channels.add(channel);
    ConnectionCache cache = items.connect();
    Session session = new Session(cache, protocol, counters);
    channel.pipeline().addLast(new Connection(session, cache, store, waits));
  }

  /** Returns where the server listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Stops listening, closes the connections, and closes the store. */
  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    reclaimer.shutdown();
    loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    store.close();
  }
}
