package io.howdah.server.net;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.Crawler;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.items.ServerClock;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.transport.Transport;
import io.howdah.server.transport.TransportKind;
import io.howdah.server.watch.ConnectionEvents;
import io.howdah.server.watch.Watchers;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A memcached server whose items are in a Howdah store. Thread-safe. */
public final class Server implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Server.class.getName());

  private static final int RECLAIMED_KEYS = 2048;
  private static final int CLOSE_SECONDS = 10;
  private static final int TICK_MILLIS = 500;

  /**
   * How often the log is forced in mode async. No reply waits for these forces, and one in each
   * millisecond takes a sixth of the processor time of single requests. With longer intervals a
   * ring may fill up before its force, and then commits do wait.
   */
  private static final Duration ASYNC_INTERVAL = Duration.ofMillis(4);

  private final Store store;
  private final Duration opening;
  private final boolean isMemoryKept;
  private final ItemStore items;
  private final CommandCounters counters = new CommandCounters();
  private final ProtocolOptions protocol;
  private final Transport transport;
  private final @Nullable AuthFile authFile;
  private final @Nullable Tls tls;
  private final Connections connections;
  private final Control control;
  private final Watchers watchers;
  private final IdentityHashMap<EventExecutor, Reply> replies = new IdentityHashMap<>();
  private final MultiThreadIoEventLoopGroup loops;
  private final ScheduledExecutorService reclaimer;
  private final Listeners listeners;

  /**
   * Opens the store and starts to listen.
   *
   * @param directory of the store, created if it is missing; not used in {@link ReplyMode#NONE}
   * @throws ListenException if an address cannot be had
   * @throws io.howdah.core.storage.StoreLockedException if another program has the store open
   */
  public Server(Path directory, ServerOptions options) {
    this.authFile = options.authFile().map(AuthFile::new).orElse(null);
    this.tls = options.tls().map(Tls::new).orElse(null);
    this.protocol = options.protocol(authFile);
    ServerClock clock = new ServerClock();
    this.connections = new Connections(FileDescriptors.fit(options.limits()), counters);
    options.unixSocket().ifPresent(path -> connections.listensAt(path.toString()));
    this.watchers = new Watchers(options.watchBufferBytes());
    this.control = new Control(options, connections, clock);
    // Its classes and its native library take as long as the store, so both are made at a time.
    CompletableFuture<Transport> loading =
        CompletableFuture.supplyAsync(() -> Transport.of(options.transport()));
    // Nodes of the index and free space among blocks come on top of what items count.
    StoreOptions size =
        StoreOptions.defaults()
            .withMaxSize(2 * options.maxBytes() + (64L << 20))
            .withAdminSocket(options.mode() != ReplyMode.NONE)
            .withBacking(options.backing())
            .withWarmRestart(options.warmRestart())
            .withWarmClose(true); // a restart for an upgrade finds all items in memory
    if (options.archive().isPresent() && options.mode() != ReplyMode.NONE) {
      size = size.withArchive(options.archive().get());
    }
    if (options.mode() != ReplyMode.NONE && Files.notExists(directory.resolve("store.howdah"))) {
      Listeners.check(options); // or a start that fails would leave an empty store behind
    }
    long start = System.nanoTime();
    this.store =
        switch (options.mode()) {
          case NONE -> Store.inMemory(size);
          case PERIODIC ->
              Store.open(directory, size.withGroupCommitInterval(options.forceInterval()));
          case ASYNC -> Store.open(directory, size.withGroupCommitInterval(ASYNC_INTERVAL));
          case PARTITION, SYNC -> Store.open(directory, size);
        };
    MultiThreadIoEventLoopGroup loops = null;
    Listeners listeners = null;
    ScheduledExecutorService reclaimer = null;
    try {
      this.transport = loaded(loading);
      this.items =
          new ItemStore(
              store,
              new ItemStoreOptions(
                  options.maxBytes(),
                  options.evicts(),
                  options.mode().awaited(),
                  clock,
                  options.maxPinnedBytes()),
              watchers);
      control.setsLimitOf(items);
      connections.readFrom(items);
      this.opening = Duration.ofNanos(System.nanoTime() - start);
      this.isMemoryKept = options.mode() != ReplyMode.NONE && store.admin().isWarmRestart();
      control.opened(opening, items.size(), store.admin());
      loops =
          new MultiThreadIoEventLoopGroup(
              options.threads(),
              new DefaultThreadFactory("howdah-serve", true),
              transport.handlers());
      this.loops = loops;
      loops.forEach(loop -> replies.put(loop, new Reply()));
      listeners =
          new Listeners(
              transport,
              loops,
              options,
              new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                  accept(channel);
                }
              });
      this.listeners = listeners;
      control.listensAt(listeners.addresses());
      reclaimer =
          Executors.newSingleThreadScheduledExecutor(
              Thread.ofPlatform().name("howdah-reclaim").daemon().factory());
      this.reclaimer = reclaimer;
      ScheduledFuture<?> _ =
          loops
              .next()
              .scheduleWithFixedDelay(
                  this::expire, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
      Crawler crawler = new Crawler(items);
      control.worksWith(crawler, reclaimer);
      ScheduledFuture<?> _ =
          reclaimer.scheduleWithFixedDelay(() -> reclaim(crawler), 1, 1, TimeUnit.SECONDS);
    } catch (Throwable t) { // an Error, too: otherwise the store would stay locked
      stopToo(t, listeners, Listeners::close);
      stopToo(t, reclaimer, ScheduledExecutorService::shutdownNow);
      stopToo(t, loops, Server::stop);
      stopToo(t, store, Store::close);
      throw t;
    }
  }

  /**
   * Stops a part of a server whose start has failed. An exception of the part is added to the
   * failure, so that the other parts are stopped, too.
   *
   * @param part null if it was not made
   */
  private static <T> void stopToo(Throwable failure, @Nullable T part, Consumer<T> stop) {
    if (part == null) {
      return;
    }
    try {
      stop.accept(part);
    } catch (Throwable again) {
      if (!again.equals(failure)) {
        failure.addSuppressed(again);
      }
    }
  }

  private void reclaim(Crawler crawler) {
    try {
      crawler.turn(RECLAIMED_KEYS);
    } catch (StoreFailedException | StoreClosedException e) {
      control.failed(e); // it refuses every command from now on
    } catch (RuntimeException | Error e) { // or there would be no next turn
      LOG.log(
          System.Logger.Level.WARNING, "items were not reclaimed; the next turn tries again", e);
    }
  }

  private void expire() {
    try {
      connections.expire();
    } catch (RuntimeException | Error e) { // or there would be no next turn
      LOG.log(System.Logger.Level.WARNING, "deadlines were not checked", e);
    }
  }

  private void accept(Channel channel) {
    if (!connections.enter()) {
      if (tls != null) {
        var _ = channel.close(); // no words before the handshake
        return;
      }
      channel
          .writeAndFlush(
              Unpooled.copiedBuffer(
                  "ERROR Too many open connections\r\n", StandardCharsets.US_ASCII))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    boolean isServed = false;
    try {
      serve(channel);
      isServed = true;
    } finally {
      if (!isServed) {
        connections.giveBack();
      }
    }
  }

  private void serve(Channel channel) {
    ConnectionEvents events = watchers.connection(connections.nextId());
    ConnectionCache cache = items.connect(events);
    Session session = new Session(cache, protocol, counters, control, events);
    Reply reply = Objects.requireNonNull(replies.get(channel.eventLoop()));
    if (tls != null) {
      channel.pipeline().addLast(tls.handler(channel.alloc()));
    }
    channel.pipeline().addLast(new Connection(connections, session, cache, events, reply));
  }

  /**
   * Returns what completes when a client has asked the server to stop; with an exception when its
   * store has stopped.
   */
  public CompletableFuture<Boolean> shutdownRequested() {
    return control.shutdownRequested();
  }

  /**
   * Reads the authentication file and the certificate again. Clients that are connected stay so.
   *
   * @throws HowdahException if that fails; what could not be read is as before
   */
  public void reload() {
    try {
      if (authFile != null) {
        authFile.reload();
      }
    } finally {
      if (tls != null) {
        tls.reload();
      }
    }
  }

  /** Calls a function with names and values of the rows of {@code stats}. Any thread. */
  public void statistics(BiConsumer<String, String> row) {
    Map<String, String> rows = new LinkedHashMap<>();
    counters.forEach(rows::put);
    control.statistics(rows::put);
    items.connect().statistics(rows::put);
    rows.forEach(row);
  }

  /** Returns the first TCP address at which the server listens. */
  public InetSocketAddress address() {
    return listeners.addresses().getFirst();
  }

  /** Returns where the server listens, for a person: addresses with their ports, and a file. */
  public List<String> places() {
    return listeners.places();
  }

  /** Returns the transport that was chosen. */
  public TransportKind transport() {
    return transport.kind();
  }

  /** Returns how long it took until the items could be served. */
  public Duration opening() {
    return opening;
  }

  /** Returns whether the items were found in memory that the process before has left. */
  public boolean isMemoryKept() {
    return isMemoryKept;
  }

  /** Returns the number of items, expired ones that were not reclaimed yet included. */
  public long items() {
    return items.size();
  }

  /**
   * Stops listening, lets the commands that were read run and their replies go, closes the
   * connections, and closes the store, which takes a checkpoint. What a client has sent beyond that
   * is dropped: it is not run, and gets no reply. A connection stays until its client has ended its
   * side, so that no reply is lost; an idle one for a quarter of a second, any for ten seconds.
   */
  @Override
  public void close() {
    listeners.close();
    connections.stop();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    while (connections.count() > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    connections.closeAll();
    reclaimer.shutdown();
    try {
      if (!reclaimer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        reclaimer.shutdownNow();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    stop(loops);
    store.close();
  }

  private static Transport loaded(CompletableFuture<Transport> loading) {
    try {
      return loading.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof HowdahException known) {
        throw known;
      }
      throw e;
    }
  }

  private static void stop(MultiThreadIoEventLoopGroup loops) {
    loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
