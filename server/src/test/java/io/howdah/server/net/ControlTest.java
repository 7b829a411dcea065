package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreAdmin;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.Crawler;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.items.ServerClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands change and tell of the server. */
final class ControlTest {

  private static final long MAX_BYTES = 8 << 20;

  @TempDir Path folder;

  private final List<Integer> levels = new ArrayList<>();
  private final ServerOptions options =
      ServerOptions.defaults()
          .withMode(ReplyMode.SYNC)
          .withMaxBytes(MAX_BYTES)
          .withThreads(3)
          .withVerbosity(1, levels::add);
  private final Connections connections =
      new Connections(ConnectionLimits.DEFAULTS, new CommandCounters());
  private final ServerClock clock = new ServerClock();
  private final Control control = new Control(options, connections, clock);
  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(16 << 20));
  private final ItemStore items =
      new ItemStore(store, new ItemStoreOptions(MAX_BYTES, true, null, clock));
  private final Crawler crawler = new Crawler(items);

  @AfterEach
  void close() {
    store.close();
  }

  private static Map<String, String> rows(Consumer<BiConsumer<String, String>> told) {
    Map<String, String> rows = new HashMap<>();
    told.accept((name, value) -> assertThat(rows.put(name, value)).as(name).isNull());
    return rows;
  }

  private Map<String, String> statistics() {
    return rows(control::statistics);
  }

  private Map<String, String> settings() {
    return rows(control::settings);
  }

  private static Map<String, String> settings(ServerOptions options) {
    Connections none = new Connections(options.limits(), new CommandCounters());
    return rows(new Control(options, none, new ServerClock())::settings);
  }

  @Test
  void theLimitOfMemoryIsLoweredAndRaisedAgainUpToThatOfTheStart() {
    assertThat(control.setMaxBytes(MAX_BYTES)).isFalse();
    assertThat(settings()).containsEntry("maxbytes", "8388608");
    control.setsLimitOf(items);
    assertThat(control.setMaxBytes(MAX_BYTES / 2)).isTrue();
    assertThat(items.maxBytes()).isEqualTo(MAX_BYTES / 2);
    assertThat(settings()).containsEntry("maxbytes", "4194304");
    assertThat(control.setMaxBytes(MAX_BYTES + 1)).isFalse();
    assertThat(items.maxBytes()).isEqualTo(MAX_BYTES / 2);
    assertThat(control.setMaxBytes(MAX_BYTES)).isTrue();
    assertThat(items.maxBytes()).isEqualTo(MAX_BYTES);
  }

  @Test
  void theVerbosityReachesTheListener() {
    assertThat(settings()).containsEntry("verbosity", "1");
    control.setVerbosity(2);
    assertThat(levels).containsExactly(2);
    assertThat(settings()).containsEntry("verbosity", "2");
  }

  @Test
  void beforeThereIsACrawlerItsCommandsDoNothing() {
    control.enableCrawler(false);
    control.setCrawlerSleep(1);
    control.setCrawlerLimit(1);
    assertThat(control.isCrawlerEnabled()).isTrue();
    assertThat(control.crawl()).isFalse();
    assertThat(statistics()).doesNotContainKey("lru_crawler_running");
    assertThat(settings()).doesNotContainKey("lru_crawler");
  }

  @Test
  void theCrawlerDoesWhatItIsTold() {
    List<Runnable> tasks = new ArrayList<>();
    control.worksWith(crawler, tasks::add);
    assertThat(control.isCrawlerEnabled()).isTrue();
    control.enableCrawler(false);
    assertThat(control.isCrawlerEnabled()).isFalse();
    assertThat(crawler.isEnabled()).isFalse();
    control.enableCrawler(true);
    control.setCrawlerSleep(7);
    control.setCrawlerLimit(9);
    assertThat(settings())
        .containsEntry("lru_crawler", "yes")
        .containsEntry("lru_crawler_sleep", "7")
        .containsEntry("lru_crawler_tocrawl", "9");
    assertThat(control.crawl()).isTrue();
    assertThat(tasks).hasSize(1);
    assertThat(statistics()).containsEntry("lru_crawler_running", "1");
  }

  @Test
  void aServerThatStopsDoesNotCrawl() {
    control.worksWith(
        crawler,
        _ -> {
          throw new RejectedExecutionException();
        });
    assertThat(control.crawl()).isFalse();
  }

  @Test
  void theStoreIsToldOfOnceItIsOpen() {
    assertThat(statistics())
        .containsEntry("howdah_opening_us", "0")
        .containsEntry("howdah_recovered_items", "0")
        .containsEntry("curr_connections", "0")
        .containsEntry("threads", "3")
        .containsEntry("howdah_mode", "sync")
        .doesNotContainKey("howdah_last_stop");
    try (Store kept = Store.open(folder, StoreOptions.defaults().withMaxSize(1 << 20))) {
      StoreAdmin admin = kept.admin();
      admin.checkpoint();
      control.opened(Duration.ofNanos(5_000_999), 42, admin);
      assertThat(statistics())
          .containsEntry("howdah_opening_us", "5000")
          .containsEntry("howdah_recovered_items", "42")
          .containsEntry("howdah_last_stop", admin.lastStop().name().toLowerCase(Locale.ROOT))
          .containsEntry("howdah_checkpoints", Long.toString(admin.checkpointStats().taken()))
          .containsEntry("howdah_checkpoint_running", "0")
          .containsEntry("howdah_checkpoint_failed", "0")
          .containsEntry("howdah_log_bytes", Long.toString(admin.checkpointStats().logBytes()))
          .containsKeys(
              "howdah_replay_bytes", "howdah_lsn", "howdah_stable_lsn", "howdah_memory_bytes")
          .doesNotContainKey("howdah_used_bytes");
    }
  }

  @Test
  void aCacheInMemoryHasNoCheckpoints() {
    Control memory = new Control(options.withMode(ReplyMode.NONE), connections, clock);
    memory.opened(Duration.ZERO, 0, store.admin());
    assertThat(rows(memory::statistics))
        .containsEntry("howdah_mode", "none")
        .doesNotContainKey("howdah_checkpoints");
  }

  @Test
  void settingsAreThoseOfTheOptions() throws UnknownHostException {
    assertThat(settings())
        .containsEntry("tcpport", "0")
        .containsEntry("inter", "NULL")
        .containsEntry("domain_socket", "NULL")
        .containsEntry("umask", "700")
        .containsEntry("watch_enabled", "yes")
        .containsEntry("evictions", "on")
        .containsEntry("num_threads", "3")
        .containsEntry("maxconns", "1024")
        .containsEntry("reqs_per_event", "20")
        .containsEntry("tcp_backlog", "1024")
        .containsEntry("idle_timeout", "0")
        .containsEntry("udpport", "0")
        .containsEntry("maxconns_fast", "yes")
        .containsEntry("howdah_mode", "sync");
    control.listensAt(
        List.of(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 4711)));
    assertThat(settings()).containsEntry("tcpport", "4711").containsEntry("inter", "127.0.0.1");
    assertThat(
            settings(
                options
                    .withEvictions(false)
                    .withWatchAllowed(false)
                    .withUnixSocket(Path.of("socket"), 0640)))
        .containsEntry("evictions", "off")
        .containsEntry("watch_enabled", "no")
        .containsEntry("domain_socket", "socket")
        .containsEntry("umask", "640");
  }

  @Test
  void theClockIsMovedAndPaused() {
    control.pauseClock(true);
    long before = clock.getAsLong();
    control.moveClock(100);
    assertThat(clock.getAsLong()).isEqualTo(before + 100);
    control.pauseClock(false);
    assertThat(clock.getAsLong()).isBetween(before + 100, before + 160);
  }

  @Test
  void aStopIsRequestedOnce() {
    assertThat(control.shutdownRequested()).isNotDone();
    control.shutdown(true);
    control.shutdown(false);
    control.failed(new IllegalStateException());
    assertThat(control.shutdownRequested()).isCompletedWithValue(true);
  }

  @Test
  void aStoreThatHasStoppedStopsTheServerWithItsCause() {
    control.failed(new IllegalStateException("the disk is gone"));
    assertThat(control.shutdownRequested())
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("the disk is gone");
  }

  @Test
  void countsOfConnectionsAreReset() {
    assertThat(connections.enter()).isTrue();
    assertThat(statistics()).containsEntry("total_connections", "1");
    control.resetStatistics();
    assertThat(statistics())
        .containsEntry("total_connections", "0")
        .containsEntry("curr_connections", "1");
  }
}
