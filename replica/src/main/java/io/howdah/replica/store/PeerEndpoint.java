package io.howdah.replica.store;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.howdah.core.HowdahException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.replica.node.SnapshotSource;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a member tells over HTTP: its snapshot, to members that know the group's secret; and to
 * every program its state, and whether it leads, for load balancers.
 */
final class PeerEndpoint implements AutoCloseable {

  private static final int BACKLOG = 16;
  private static final int MAX_SNAPSHOTS = 2;
  private static final int CONNECT_MILLIS = 3000;

  /** Longer than a member takes to make the checkpoint with which a snapshot begins. */
  private static final int READ_MILLIS = 60_000;

  static final Duration COMMAND_TIME = Duration.ofSeconds(30);
  private static final int MAX_MESSAGE_BYTES = 1000;
  static final String BEARER = "Bearer ";

  private final ReplicatedStore replica;
  private final ReplicaNode node;
  private final String secret;
  private final HttpServer server;
  private final ExecutorService executor;
  private final Semaphore snapshots = new Semaphore(MAX_SNAPSHOTS);

  /**
   * Starts to listen.
   *
   * @param address host and port
   */
  PeerEndpoint(String address, String secret, ReplicatedStore replica, ReplicaNode node) {
    this.replica = replica;
    this.node = node;
    this.secret = secret;
    int colon = address.lastIndexOf(':');
    try {
      this.server =
          HttpServer.create(
              new InetSocketAddress(
                  address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
              BACKLOG);
    } catch (IOException e) {
      throw new UncheckedIOException("listen at " + address, e);
    }
    // One for each request: the server of the JDK reads a request in such a thread, for as long as
    // its client takes to send it, and a few silent clients would hold all threads of a pool.
    this.executor =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("howdah-http-", 0).factory());
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void handle(HttpExchange exchange) {
    try (exchange) {
      switch (exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath()) {
        case "GET /leader" ->
            answer(exchange, node.isLeading() ? 200 : 503, "leader " + leader() + "\n");
        case "GET /status" -> answer(exchange, 200, status());
        case "GET /snapshot" -> snapshot(exchange);
        case "POST /transfer" ->
            command(exchange, 1, names -> replica.transfer(names.getFirst(), COMMAND_TIME));
        case "POST /replace" ->
            command(
                exchange,
                3,
                names ->
                    replica.replace(names.getFirst(), names.get(1), names.get(2), COMMAND_TIME));
        default -> answer(exchange, 404, "there are /status, /leader and /snapshot\n");
      }
    } catch (IOException e) {
      // The other side has gone, and learns of it by itself.
    }
  }

  private String leader() {
    String leader = node.knownLeader();
    return leader == null ? "unknown" : leader;
  }

  private String status() {
    String problem = node.installProblem();
    return "role %s%nleader %s%nposition %d%nreadable %s%nsnapshots %d%n%s"
        .formatted(
            node.isLeading() ? "leader" : "follower",
            leader(),
            node.position(),
            node.isReadable() ? "yes" : "no",
            node.snapshotsInstalled(),
            problem == null ? "" : "problem " + problem + "\n");
  }

  /** Executes a command of a client that knows the secret; the names are lines of the body. */
  private void command(HttpExchange exchange, int count, Predicate<List<String>> command)
      throws IOException {
    if (!isAllowed(exchange)) {
      return;
    }
    List<String> names;
    try (InputStream body = exchange.getRequestBody()) {
      names =
          new String(body.readNBytes(MAX_MESSAGE_BYTES), StandardCharsets.UTF_8).lines().toList();
    }
    if (names.size() != count) {
      answer(exchange, 400, "expected lines: " + count + ", found: " + names.size() + "\n");
      return;
    }
    try {
      boolean isDone = command.test(names);
      answer(exchange, isDone ? 200 : 504, isDone ? "done\n" : "not done yet; try again\n");
    } catch (NotLeaderException e) {
      answer(exchange, 409, e.getMessage() + "\n");
    } catch (HowdahException | IllegalArgumentException e) {
      answer(exchange, 400, e.getMessage() + "\n");
    }
  }

  private boolean isAllowed(HttpExchange exchange) throws IOException {
    String shown = exchange.getRequestHeaders().getFirst("Authorization");
    if (shown == null
        || !MessageDigest.isEqual(
            shown.getBytes(StandardCharsets.UTF_8),
            (BEARER + secret).getBytes(StandardCharsets.UTF_8))) {
      answer(exchange, 403, "the secret of the group is needed\n");
      return false;
    }
    return true;
  }

  private void snapshot(HttpExchange exchange) throws IOException {
    if (!isAllowed(exchange)) {
      return;
    }
    if (!snapshots.tryAcquire()) {
      answer(exchange, 503, "other members get snapshots at present\n");
      return;
    }
    boolean[] hasBegun = new boolean[1];
    try (OutputStream body =
        new FilterOutputStream(exchange.getResponseBody()) {
          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            if (!hasBegun[0]) {
              hasBegun[0] = true;
              exchange.sendResponseHeaders(200, 0);
            }
            out.write(bytes, from, length);
          }

          @Override
          public void close() throws IOException {
            if (hasBegun[0]) {
              super.close();
            }
          }
        }) {
      node.writeSnapshot(body);
    } catch (HowdahException e) {
      if (!hasBegun[0]) {
        answer(exchange, 503, e.getMessage() + "\n");
      }
      // Otherwise the stream ends without its last frame, and the reader refuses it.
    } finally {
      snapshots.release();
    }
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(code, bytes.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(bytes);
    }
  }

  /** Returns what asks the other members of a group, at their addresses by their names. */
  static SnapshotSource source(String self, Map<String, String> addresses, String secret) {
    return new SnapshotSource() {
      @Override
      public List<String> members(@Nullable String leader) {
        List<String> members = new ArrayList<>(new TreeSet<>(addresses.keySet()));
        members.remove(self);
        if (leader != null && members.remove(leader)) {
          members.addFirst(leader);
        }
        return members;
      }

      @Override
      public InputStream open(String member) throws IOException {
        HttpURLConnection connection =
            (HttpURLConnection)
                URI.create("http://" + addresses.get(member) + "/snapshot")
                    .toURL()
                    .openConnection();
        connection.setConnectTimeout(CONNECT_MILLIS);
        connection.setReadTimeout(READ_MILLIS);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Authorization", BEARER + secret);
        if (connection.getResponseCode() == HttpURLConnection.HTTP_OK) {
          return connection.getInputStream();
        }
        try (InputStream error = connection.getErrorStream()) {
          String text =
              error == null
                  ? ""
                  : new String(error.readNBytes(MAX_MESSAGE_BYTES), StandardCharsets.UTF_8);
          throw new IOException("answers " + connection.getResponseCode() + " " + text.strip());
        }
      }
    };
  }

  /** What there is without addresses for snapshots. */
  static SnapshotSource none() {
    return new SnapshotSource() {
      @Override
      public List<String> members(@Nullable String leader) {
        return List.of();
      }

      @Override
      public InputStream open(String member) throws IOException {
        throw new IOException("the group file has no addresses http.NAME");
      }
    };
  }

  /** Ends it; a snapshot that is being written is cut off. */
  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
