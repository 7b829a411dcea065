package io.howdah.server.net;

import io.howdah.StoreAdmin;
import io.howdah.server.cache.ServerRow;
import io.howdah.server.items.Crawler;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ServerClock;
import io.howdah.server.monitor.StoreRows;
import io.howdah.server.protocol.ServerControl;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What commands ask of this server. Thread-safe. */
final class Control implements ServerControl {

  private final ServerOptions options;
  private final Connections connections;
  private final ServerClock clock;
  private final CompletableFuture<Boolean> shutdown = new CompletableFuture<>();
  private volatile @Nullable ItemStore items;
  private volatile @Nullable Crawler crawler;
  private volatile @Nullable Executor background;
  private volatile int verbosity;
  private volatile long openingMicros;
  private volatile long recoveredItems;
  private volatile @Nullable StoreAdmin store;
  private volatile List<InetSocketAddress> addresses = List.of();
  private volatile @Nullable Consumer<BiConsumer<String, String>> groupRows;

  Control(ServerOptions options, Connections connections, ServerClock clock) {
    this.options = options;
    this.connections = connections;
    this.clock = clock;
    this.verbosity = options.verbosity();
  }

  /** Tells at which addresses the server listens. */
  void listensAt(List<InetSocketAddress> addresses) {
    this.addresses = addresses;
  }

  /** Returns what completes when a client has asked the server to stop. */
  CompletableFuture<Boolean> shutdownRequested() {
    return shutdown;
  }

  /** The store has stopped, so the server can only stop, too. */
  void failed(RuntimeException cause) {
    shutdown.completeExceptionally(cause);
  }

  @Override
  public void shutdown(boolean graceful) {
    shutdown.complete(graceful);
  }

  /** Tells of which items a client may change the limit. */
  void setsLimitOf(ItemStore items) {
    this.items = items;
  }

  /**
   * The region has room for the limit of the start, so a client may lower it and raise it again.
   */
  @Override
  public boolean setMaxBytes(long bytes) {
    ItemStore items = this.items;
    boolean isAllowed = items != null && bytes <= options.maxBytes();
    if (items != null && isAllowed) {
      items.setMaxBytes(bytes);
    }
    return isAllowed;
  }

  /** Tells what removes items that are gone, and which thread works in the background. */
  void worksWith(Crawler crawler, Executor background) {
    this.background = background;
    this.crawler = crawler;
  }

  @Override
  public void setVerbosity(int level) {
    verbosity = level;
    options.verbosityListener().accept(level);
  }

  @Override
  public boolean isCrawlerEnabled() {
    Crawler crawler = this.crawler;
    return crawler == null || crawler.isEnabled();
  }

  @Override
  public void enableCrawler(boolean enabled) {
    Crawler crawler = this.crawler;
    if (crawler != null) {
      crawler.enable(enabled);
    }
  }

  @Override
  public void setCrawlerSleep(int micros) {
    Crawler crawler = this.crawler;
    if (crawler != null) {
      crawler.setSleepMicros(micros);
    }
  }

  @Override
  public void setCrawlerLimit(long count) {
    Crawler crawler = this.crawler;
    if (crawler != null) {
      crawler.setLimit(count);
    }
  }

  @Override
  public boolean crawl() {
    Crawler crawler = this.crawler;
    Executor background = this.background;
    try {
      return crawler != null && background != null && crawler.crawl(background);
    } catch (RejectedExecutionException _) {
      return false; // the server stops
    }
  }

  /** Tells how long it took until the items could be served, and how many were found. */
  void opened(Duration opening, long items, StoreAdmin store) {
    this.openingMicros = opening.toNanos() / 1000;
    this.recoveredItems = items;
    this.store = store;
  }

  /** The items that were served are another process's from now on. */
  void servesNothing() {
    items = null;
    crawler = null;
    store = null;
  }

  /** Tells what calls a function with the rows of a replica group. */
  void isMember(Consumer<BiConsumer<String, String>> groupRows) {
    this.groupRows = groupRows;
  }

  /** Calls a function with the rows of a replica group. */
  static void group(
      BiConsumer<String, String> row,
      String role,
      @Nullable String leader,
      long position,
      int relayed) {
    ServerRow.HOWDAH_REPLICA_ROLE.write(row, role);
    ServerRow.HOWDAH_REPLICA_LEADER.write(row, leader == null ? "none" : leader);
    ServerRow.HOWDAH_REPLICA_POSITION.write(row, position);
    ServerRow.HOWDAH_RELAYED_CONNECTIONS.write(row, relayed);
  }

  @Override
  public void moveClock(long seconds) {
    clock.move(seconds);
  }

  @Override
  public void pauseClock(boolean paused) {
    clock.pause(paused);
  }

  @Override
  public void statistics(BiConsumer<String, String> row) {
    connections.statistics(row);
    Crawler crawler = this.crawler;
    if (crawler != null) {
      crawler.statistics(row);
    }
    ServerRow.THREADS.write(row, options.threads());
    ServerRow.HOWDAH_MODE.write(row, options.mode().name().toLowerCase(Locale.ROOT));
    ServerRow.HOWDAH_OPENING_US.write(row, openingMicros);
    ServerRow.HOWDAH_RECOVERED_ITEMS.write(row, recoveredItems);
    Consumer<BiConsumer<String, String>> groupRows = this.groupRows;
    if (groupRows == null) {
      group(row, "none", null, 0, 0);
    } else {
      groupRows.accept(row);
    }
    StoreAdmin store = this.store;
    if (store != null) {
      if (options.mode() != ReplyMode.NONE && groupRows == null) {
        ServerRow.HOWDAH_LAST_STOP.write(row, store.lastStop().name().toLowerCase(Locale.ROOT));
      }
      StoreRows.write(store, row);
    }
  }

  @Override
  public void settings(BiConsumer<String, String> row) {
    ConnectionLimits limits = connections.limits();
    ItemStore items = this.items;
    long maxBytes = items == null ? options.maxBytes() : items.maxBytes();
    row.accept("maxbytes", Long.toString(maxBytes));
    row.accept("verbosity", Integer.toString(verbosity));
    row.accept("watch_enabled", options.watchAllowed() ? "yes" : "no");
    Crawler crawler = this.crawler;
    if (crawler != null) {
      crawler.settings(row);
    }
    row.accept("maxconns", Integer.toString(limits.maxConnections()));
    row.accept("tcpport", addresses.isEmpty() ? "0" : "" + addresses.getFirst().getPort());
    row.accept("udpport", "0");
    row.accept(
        "inter", addresses.isEmpty() ? "NULL" : addresses.getFirst().getAddress().getHostAddress());
    row.accept("evictions", options.evicts() ? "on" : "off");
    row.accept("domain_socket", options.unixSocket().map(Object::toString).orElse("NULL"));
    row.accept("umask", Integer.toOctalString(options.unixSocketMode()));
    row.accept("num_threads", Integer.toString(options.threads()));
    row.accept("reqs_per_event", Integer.toString(limits.commandsPerTurn()));
    row.accept("tcp_backlog", Integer.toString(options.backlog()));
    row.accept("maxconns_fast", "yes");
    row.accept("idle_timeout", Long.toString(limits.idleTimeout().toSeconds()));
    row.accept("howdah_mode", options.mode().name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void connections(BiConsumer<String, String> row) {
    connections.describe(row);
  }

  @Override
  public void resetStatistics() {
    connections.reset();
  }
}
