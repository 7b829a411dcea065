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
import java.util.Locale;
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
import java.util.function.Supplier;
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

  /** How long a connection to a member that does not lead waits for a leader. */
  private static final int LEADER_MILLIS = 10_000;

  private final ServerOptions options;
  private final Duration opening;
  private final boolean isMemoryKept;
  private final CommandCounters counters = new CommandCounters();
  private final ServerClock clock = new ServerClock();
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

  /** The store of this server alone; null if it is a member of a group. */
  private final @Nullable Store store;

  private final @Nullable GroupMember member;
  private final Relay.@Nullable Relays relays;

  /** What clients are served from; null while a member does not lead. */
  private volatile @Nullable Service service;

  /** The items of a store, and what removes those that are gone. */
  private record Service(ItemStore items, Crawler crawler) {}

  /**
   * Opens the store and starts to listen.
   *
   * @param directory of the store, created if it is missing; not used in {@link ReplyMode#NONE}
   * @throws ListenException if an address cannot be had
   * @throws io.howdah.core.storage.StoreLockedException if another program has the store open
   */
  public Server(Path directory, ServerOptions options) {
    this(options, directory, null, LEADER_MILLIS);
  }

  /**
   * Opens a member of a replica group and starts to listen. While the member leads, its items are
   * served; otherwise connections are passed to the leader.
   *
   * @param member returns the member, which the server closes
   * @param options in the mode {@link ReplyMode#SYNC} or {@link ReplyMode#ASYNC}
   * @throws ListenException if an address cannot be had
   * @throws IllegalArgumentException if the options do not fit the group
   */
  public Server(Supplier<GroupMember> member, ServerOptions options) {
    this(member, options, LEADER_MILLIS);
  }

  /** For tests: with another time for which a connection waits for a leader. */
  Server(Supplier<GroupMember> member, ServerOptions options, int leaderMillis) {
    this(options, null, member, leaderMillis);
  }

  private Server(
      ServerOptions options,
      @Nullable Path directory,
      @Nullable Supplier<GroupMember> group,
      int leaderMillis) {
    this.options = options;
    this.authFile = options.authFile().map(AuthFile::new).orElse(null);
    this.tls = options.tls().map(Tls::new).orElse(null);
    this.protocol = options.protocol(authFile);
    this.connections = new Connections(FileDescriptors.fit(options.limits()), counters);
    options.unixSocket().ifPresent(path -> connections.listensAt(path.toString()));
    this.watchers = new Watchers(options.watchBufferBytes());
    this.control = new Control(options, connections, clock);
    // Its classes and its native library take as long as the store, so both are made at a time.
    CompletableFuture<Transport> loading =
        CompletableFuture.supplyAsync(() -> Transport.of(options.transport()));
    if (directory == null
        || (options.mode() != ReplyMode.NONE
            && Files.notExists(directory.resolve("store.howdah")))) {
      Listeners.check(options); // or a start that fails would leave an empty store behind
    }
    long start = System.nanoTime();
    this.store = directory == null ? null : open(directory, options);
    GroupMember member = null;
    MultiThreadIoEventLoopGroup loops = null;
    Listeners listeners = null;
    ScheduledExecutorService reclaimer = null;
    try {
      member = group == null ? null : group.get();
      this.member = member;
      this.transport = loaded(loading);
      if (store != null) {
        serve(store, start);
      }
      this.opening = Duration.ofNanos(System.nanoTime() - start);
      this.isMemoryKept =
          store != null && options.mode() != ReplyMode.NONE && store.admin().isWarmRestart();
      loops =
          new MultiThreadIoEventLoopGroup(
              options.threads(),
              new DefaultThreadFactory("howdah-serve", true),
              transport.handlers());
      this.loops = loops;
      loops.forEach(loop -> replies.put(loop, new Reply()));
      this.relays = member == null ? null : relays(leaderMillis);
      listeners = new Listeners(transport, loops, options, initializer(this::accept));
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
      Service service = this.service;
      if (service != null) {
        control.worksWith(service.crawler(), reclaimer);
      }
      ScheduledFuture<?> _ =
          reclaimer.scheduleWithFixedDelay(this::reclaim, 1, 1, TimeUnit.SECONDS);
      if (member != null) {
        join(member, listeners);
      }
    } catch (Throwable t) { // an Error, too: otherwise the store would stay locked
      stopToo(t, listeners, Listeners::close);
      stopToo(t, reclaimer, ScheduledExecutorService::shutdownNow);
      stopToo(t, loops, Server::stop);
      stopToo(t, store, Store::close);
      stopToo(t, member, GroupMember::close);
      throw t;
    }
  }

  private static Store open(Path directory, ServerOptions options) {
    StoreOptions size =
        StoreOptions.defaults()
            .withMaxSize(storeBytes(options))
            .withAdminSocket(options.mode() != ReplyMode.NONE)
            .withBacking(options.backing())
            .withWarmRestart(options.warmRestart())
            .withWarmClose(true); // a restart for an upgrade finds all items in memory
    if (options.archive().isPresent() && options.mode() != ReplyMode.NONE) {
      size = size.withArchive(options.archive().get());
    }
    return switch (options.mode()) {
      case NONE -> Store.inMemory(size);
      case PERIODIC -> Store.open(directory, size.withGroupCommitInterval(options.forceInterval()));
      case ASYNC -> Store.open(directory, size.withGroupCommitInterval(ASYNC_INTERVAL));
      case PARTITION, SYNC -> Store.open(directory, size);
    };
  }

  /** Nodes of the index and free space among blocks come on top of what items count. */
  private static long storeBytes(ServerOptions options) {
    return 2 * options.maxBytes() + (64L << 20);
  }

  /** Serves the items of a store from now on. */
  private void serve(Store store, long start) {
    GroupMember member = this.member;
    ItemStore items =
        new ItemStore(
            store,
            new ItemStoreOptions(
                options.maxBytes(),
                options.evicts(),
                options.mode().awaited(),
                clock,
                options.maxPinnedBytes(),
                member != null && options.confirmedReplies() ? () -> member.confirm(store) : null),
            watchers);
    control.setsLimitOf(items);
    connections.readFrom(items);
    control.opened(Duration.ofNanos(System.nanoTime() - start), items.size(), store.admin());
    service = new Service(items, new Crawler(items));
  }

  private static ChannelInitializer<Channel> initializer(Consumer<Channel> accept) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        accept.accept(channel);
      }
    };
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

  // ---- Members of a group.

  private Relay.Relays relays(int waitMillis) {
    return new Relay.Relays(transport, connections, tls == null, waitMillis, this::accept);
  }

  private void join(GroupMember member, Listeners listeners) {
    ReplyMode mode = options.mode();
    if (mode != ReplyMode.SYNC && mode != ReplyMode.ASYNC) {
      throw new IllegalArgumentException(
          "a member of a replica group serves in mode sync or async, not "
              + mode.name().toLowerCase(Locale.ROOT));
    }
    if (storeBytes(options) > member.maxSizeBytes()) {
      throw new IllegalArgumentException(
          "items of "
              + options.maxBytes()
              + " bytes need a store of "
              + storeBytes(options)
              + " bytes, and max-size of the group is "
              + member.maxSizeBytes());
    }
    control.isMember(this::groupRows);
    listeners.listenAt(member.relayAddress(), initializer(this::acceptPassed));
    member.start(
        new GroupMember.Listener() {
          @Override
          public void leads(Store store) {
            lead(store);
          }

          @Override
          public void follows(@Nullable InetSocketAddress leader) {
            follow(leader);
          }

          @Override
          public void failed(RuntimeException cause) {
            follow(null);
            control.failed(cause);
          }
        });
  }

  private void lead(Store store) {
    try {
      serve(store, System.nanoTime());
      Service service = this.service;
      if (service != null) {
        control.worksWith(service.crawler(), reclaimer);
      }
      requireRelays().leads();
      LOG.log(System.Logger.Level.INFO, "this member leads: clients are served here");
    } catch (StoreFailedException | StoreClosedException e) {
      follow(null); // it has ceased to lead meanwhile
    } catch (RuntimeException e) { // as items of another layout
      follow(null);
      control.failed(e);
    }
  }

  private void follow(@Nullable InetSocketAddress leader) {
    boolean hasServed = service != null;
    service = null;
    requireRelays().follows(leader);
    if (hasServed) {
      control.servesNothing();
      // Replies that still wait are never sent: their outcome is unknown.
      connections.closeAll();
    }
    LOG.log(
        System.Logger.Level.INFO,
        "this member follows: clients are passed to "
            + (leader == null ? "the leader, which is not known yet" : leader));
  }

  private Relay.Relays requireRelays() {
    return Objects.requireNonNull(relays, "of a member");
  }

  private void groupRows(BiConsumer<String, String> row) {
    GroupMember member = this.member;
    if (member != null) {
      Control.group(
          row,
          service == null ? "follower" : "leader",
          member.leaderName(),
          member.position(),
          requireRelays().count());
    }
  }

  /** Accepts a connection that another member has passed. */
  private void acceptPassed(Channel channel) {
    accept(channel, true);
  }

  private void reclaim() {
    Service service = this.service;
    if (service == null) {
      return;
    }
    try {
      service.crawler().turn(RECLAIMED_KEYS);
    } catch (StoreFailedException | StoreClosedException e) {
      if (member == null) {
        control.failed(e); // it refuses every command from now on
      }
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
    accept(channel, false);
  }

  private void accept(Channel channel, boolean isPassed) {
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
      Service service = this.service;
      if (service == null) {
        channel.pipeline().addLast(new Relay(requireRelays(), isPassed));
      } else {
        serve(channel, service);
      }
      isServed = true;
    } finally {
      if (!isServed) {
        connections.giveBack();
      }
    }
  }

  private void serve(Channel channel, Service service) {
    ConnectionEvents events = watchers.connection(connections.nextId());
    ConnectionCache cache = service.items().connect(events);
    Session session = new Session(cache, protocol, counters, control, events);
    Reply reply = Objects.requireNonNull(replies.get(channel.eventLoop()));
    if (tls != null) {
      channel.pipeline().addLast(tls.handler(channel.alloc()));
    }
    Connection connection = new Connection(connections, session, cache, events, reply);
    channel.pipeline().addLast(connection);
    if (!service.equals(this.service)) {
      connection.requestClose(); // the member has ceased to lead meanwhile
    }
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
    Service service = this.service;
    if (service != null) {
      service.items().connect().statistics(rows::put);
    }
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

  /**
   * Returns the number of items, expired ones that were not reclaimed yet included; 0 for a member
   * of a group that does not lead.
   */
  public long items() {
    Service service = this.service;
    return service == null ? 0 : service.items().size();
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
    if (relays != null) {
      relays.close();
    }
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
    if (store != null) {
      store.close();
    }
    if (member != null) {
      member.close();
    }
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
