package io.howdah.server.monitor;

import io.howdah.StoreFigure;
import io.howdah.core.HowdahException;
import io.howdah.server.cache.ServerRow;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Answers {@code GET /metrics} on the loopback address with the rows of {@code stats} that are
 * numbers, in Prometheus' text format. Row {@code x} is the metric {@code howdah_server_x};
 * counters end with {@code _total}. A connection is one request. It is closed if request and reply
 * take more than five seconds, and at most eight connections are open at a time: others wait.
 */
public final class MetricsEndpoint implements AutoCloseable {

  private static final String PREFIX = "howdah_server_";
  private static final int BACKLOG = 64;
  private static final int MAX_CONNECTIONS = 8;
  private static final int MAX_HEAD_BYTES = 1 << 13;
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** How long it waits behind a client that it could not serve. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final ServerSocket server;
  private final Consumer<BiConsumer<String, String>> statistics;
  private final Duration limit;
  private final Consumer<Runnable> threads;
  private final Semaphore free = new Semaphore(MAX_CONNECTIONS);
  private final ScheduledExecutorService deadlines =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("howdah-metrics-limit").daemon().factory());

  /**
   * Begins to listen.
   *
   * @param port 0 takes a free one
   * @param statistics calls a function with names and values of rows; called by other threads, also
   *     by several at a time
   */
  public MetricsEndpoint(int port, Consumer<BiConsumer<String, String>> statistics) {
    this(port, statistics, LIMIT);
  }

  /** For tests: with another limit of the time that a connection may take. */
  MetricsEndpoint(int port, Consumer<BiConsumer<String, String>> statistics, Duration limit) {
    this(port, statistics, limit, Thread.ofPlatform().name("howdah-metrics").daemon()::start);
  }

  /**
   * For tests: with another way to start threads.
   *
   * @param threads starts a thread for each connection
   */
  MetricsEndpoint(
      int port,
      Consumer<BiConsumer<String, String>> statistics,
      Duration limit,
      Consumer<Runnable> threads) {
    this.statistics = statistics;
    this.limit = limit;
    this.threads = threads;
    this.server = listen(port);
    Thread.ofPlatform().name("howdah-metrics").daemon().start(this::accept);
  }

  /**
   * Refuses a port that is taken, before anything is done for a server that needs it.
   *
   * @throws HowdahException if nobody could listen there
   */
  public static void check(int port) {
    try {
      new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    } catch (IOException e) {
      throw cannotListen(port, e);
    }
  }

  private static ServerSocket listen(int port) {
    try {
      return new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw cannotListen(port, e);
    }
  }

  private static HowdahException cannotListen(int port, IOException e) {
    return new HowdahException(
        "cannot listen at port " + port + " for metrics: " + e.getMessage(), e);
  }

  private void accept() {
    try {
      while (!server.isClosed()) {
        free.acquire();
        acceptNext();
      }
    } catch (InterruptedException _) {
      // Without a thread behind it, clients of the port would wait for ever.
      close();
    }
  }

  private void acceptNext() {
    Socket socket = null;
    try {
      socket = server.accept();
      Socket accepted = socket;
      threads.accept(() -> answer(accepted));
    } catch (Throwable t) {
      // The endpoint is being closed. Or files, memory or threads did not suffice for this client,
      // as the next one may find again.
      free.release();
      if (socket != null) {
        close(socket);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      var deadline = deadlines.schedule(() -> close(socket), limit.toNanos(), TimeUnit.NANOSECONDS);
      try {
        socket.getOutputStream().write(reply(head(socket.getInputStream())));
        socket.shutdownOutput();
      } finally {
        deadline.cancel(false);
      }
    } catch (IOException | RejectedExecutionException _) {
      // The client is gone, was too slow, or the endpoint is closed.
    } finally {
      free.release();
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close(); // ends a read and a write
    } catch (IOException _) {
      // It is closed all the same.
    }
  }

  /** Reads a request up to the empty line behind its head. Requests have no bodies. */
  private static String head(InputStream input) throws IOException {
    StringBuilder head = new StringBuilder();
    byte[] bytes = new byte[MAX_HEAD_BYTES];
    while (head.indexOf("\r\n\r\n") < 0) {
      int count = input.read(bytes);
      if (count < 0 || head.length() + count > MAX_HEAD_BYTES) {
        throw new IOException("no request");
      }
      head.append(new String(bytes, 0, count, StandardCharsets.ISO_8859_1));
    }
    return head.toString();
  }

  private byte[] reply(String head) {
    boolean isMetrics = head.startsWith("GET /metrics ") || head.startsWith("GET /metrics?");
    String body = isMetrics ? text(statistics) : "";
    String status =
        isMetrics
            ? "200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8"
            : "404 Not Found";
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    byte[] start =
        ("HTTP/1.1 "
                + status
                + "\r\nContent-Length: "
                + content.length
                + "\r\nConnection: close\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    byte[] reply = Arrays.copyOf(start, start.length + content.length);
    System.arraycopy(content, 0, reply, start.length, content.length);
    return reply;
  }

  static String text(Consumer<BiConsumer<String, String>> statistics) {
    StringBuilder text = new StringBuilder();
    statistics.accept(
        (row, value) -> {
          if (value.matches("-?[0-9]+([.][0-9]+)?")) {
            StoreFigure figure = StoreRows.figure(row);
            ServerRow own = ServerRow.named(row);
            // All other rows count commands.
            boolean isGauge =
                figure != null
                    ? figure.kind() != StoreFigure.Kind.COUNTER
                    : own != null && own.kind() == ServerRow.Kind.GAUGE;
            String help = figure != null ? figure.help() : own != null ? own.help() : "";
            String plain = row.startsWith("howdah_") ? row.substring("howdah_".length()) : row;
            String name = PREFIX + plain + (isGauge ? "" : "_total");
            if (!help.isEmpty()) {
              text.append("# HELP ").append(name).append(' ').append(help).append('\n');
            }
            text.append("# TYPE ").append(name).append(isGauge ? " gauge\n" : " counter\n");
            text.append(name).append(' ').append(value).append('\n');
          }
        });
    return text.toString();
  }

  /** Returns the port. */
  public int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException _) {
      // It listens no more all the same.
    }
    deadlines.shutdownNow();
  }
}
