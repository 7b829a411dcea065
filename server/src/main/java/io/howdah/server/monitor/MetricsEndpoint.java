package io.howdah.server.monitor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.howdah.core.HowdahException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Answers {@code GET /metrics} on the loopback address with the rows of {@code stats} that are
 * numbers, in Prometheus' text format. Row {@code x} is the metric {@code howdah_server_x};
 * counters end with {@code _total}. One request at a time.
 */
public final class MetricsEndpoint implements AutoCloseable {

  private static final String PREFIX = "howdah_server_";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  /** Rows that go down, too. */
  private static final Set<String> GAUGES =
      Set.of(
          "curr_connections",
          "connection_structures",
          "max_connections",
          "curr_items",
          "bytes",
          "limit_maxbytes",
          "threads",
          "log_watchers",
          "lru_crawler_running",
          "howdah_unsent_bytes",
          "howdah_pending_bytes",
          "howdah_read_bytes",
          "howdah_opening_us",
          "howdah_recovered_items",
          "howdah_checkpoint_running",
          "howdah_checkpoint_failed",
          "howdah_log_bytes",
          "howdah_replay_bytes",
          "howdah_partial_bytes");

  private final HttpServer server;
  private final ExecutorService executor;

  /**
   * Begins to listen.
   *
   * @param port 0 takes a free one
   * @param statistics calls a function with names and values of rows; called by another thread
   */
  public MetricsEndpoint(int port, Consumer<BiConsumer<String, String>> statistics) {
    server = listen(port);
    executor =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("howdah-metrics").daemon().factory());
    server.setExecutor(executor);
    server.createContext("/", exchange -> answer(exchange, statistics));
    server.start();
  }

  /**
   * Refuses a port that is taken, before anything is done for a server that needs it.
   *
   * @throws HowdahException if nobody could listen there
   */
  public static void check(int port) {
    // Not an HttpServer: one that was never started keeps its port when it is stopped.
    try {
      new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    } catch (IOException e) {
      throw cannotListen(port, e);
    }
  }

  private static HttpServer listen(int port) {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw cannotListen(port, e);
    }
  }

  private static HowdahException cannotListen(int port, IOException e) {
    return new HowdahException(
        "cannot listen at port " + port + " for metrics: " + e.getMessage(), e);
  }

  private static void answer(HttpExchange exchange, Consumer<BiConsumer<String, String>> statistics)
      throws IOException {
    try (exchange) {
      boolean isMetrics =
          exchange.getRequestURI().getPath().equals("/metrics")
              && exchange.getRequestMethod().equals("GET");
      if (!isMetrics) {
        exchange.sendResponseHeaders(NOT_FOUND, -1);
        return;
      }
      byte[] body = text(statistics).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      exchange.sendResponseHeaders(OK, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  static String text(Consumer<BiConsumer<String, String>> statistics) {
    StringBuilder text = new StringBuilder();
    statistics.accept(
        (row, value) -> {
          if (value.matches("-?[0-9]+([.][0-9]+)?")) {
            boolean isGauge = GAUGES.contains(row) || row.endsWith("_lsn");
            String plain = row.startsWith("howdah_") ? row.substring("howdah_".length()) : row;
            String name = PREFIX + plain + (isGauge ? "" : "_total");
            text.append("# TYPE ").append(name).append(isGauge ? " gauge\n" : " counter\n");
            text.append(name).append(' ').append(value).append('\n');
          }
        });
    return text.toString();
  }

  /** Returns the port. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdown();
  }
}
