package io.howdah.server.monitor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.HowdahException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class MetricsEndpointTest {

  @Test
  void rowsThatAreNumbersAreMetrics() throws Exception {
    try (MetricsEndpoint endpoint =
            new MetricsEndpoint(
                0,
                row -> {
                  row.accept("version", "1.6.45-howdah");
                  row.accept("get_hits", "7");
                  row.accept("curr_items", "3");
                  row.accept("howdah_stable_lsn", "9");
                });
        HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> metrics = get(client, endpoint, "/metrics");
      assertThat(metrics.statusCode()).isEqualTo(200);
      assertThat(metrics.headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
      assertThat(metrics.body())
          .isEqualTo(
              """
              # TYPE howdah_server_get_hits_total counter
              howdah_server_get_hits_total 7
              # HELP howdah_server_curr_items items, expired ones that were not reclaimed yet included
              # TYPE howdah_server_curr_items gauge
              howdah_server_curr_items 3
              # HELP howdah_server_stable_lsn the newest LSN that survives a power cut, with all before it
              # TYPE howdah_server_stable_lsn gauge
              howdah_server_stable_lsn 9
              """);
      assertThat(get(client, endpoint, "/other").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void clientsThatSendHalfARequestKeepNoOtherFromAReply() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (MetricsEndpoint endpoint =
            new MetricsEndpoint(0, row -> row.accept("get_hits", "7"), Duration.ofMillis(100));
        HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
        socket.getOutputStream().write('G');
        silent.add(socket);
      }
      assertThat(get(client, endpoint, "/metrics").body())
          .contains("howdah_server_get_hits_total 7");
      for (Socket socket : silent) {
        socket.setSoTimeout(60_000);
        assertThat(socket.getInputStream().read()).as("it was closed").isEqualTo(-1);
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** As under a limit of threads: the metrics are most needed when something runs short. */
  @Test
  void aClientForWhomThereIsNoThreadKeepsNoLaterOneFromAReply() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    Consumer<Runnable> threads =
        answer -> {
          if (refused.incrementAndGet() <= 20) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          Thread.ofPlatform().daemon().start(answer);
        };
    try (MetricsEndpoint endpoint =
        new MetricsEndpoint(
            0, row -> row.accept("get_hits", "7"), Duration.ofSeconds(60), threads)) {
      for (int i = 0; i < 20; i++) {
        assertThat(ask(endpoint)).as("client %d", i).isEmpty();
      }
      assertThat(ask(endpoint)).contains("howdah_server_get_hits_total 7");
    }
  }

  /**
   * Returns what comes back for a request; nothing if the connection is closed without an answer.
   */
  private static String ask(MetricsEndpoint endpoint) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write("GET /metrics HTTP/1.1\r\n\r\n".getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the client waits for ever", e);
    } catch (SocketException e) {
      return ""; // it was closed before it had read the request
    }
  }

  @Test
  void aRequestWithoutAnEndIsClosed() throws Exception {
    try (MetricsEndpoint endpoint = new MetricsEndpoint(0, _ -> {});
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      socket.setSoTimeout(60_000);
      assertThatThrownBy(
              () -> {
                while (true) {
                  socket.getOutputStream().write(new byte[1 << 12]);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aPortThatWasCheckedIsFreeAfterwards() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    MetricsEndpoint.check(port);
    try (MetricsEndpoint endpoint = new MetricsEndpoint(port, _ -> {});
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(endpoint.port()).isEqualTo(port);
      assertThat(get(client, endpoint, "/metrics").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aPortThatIsTakenIsRefused() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> MetricsEndpoint.check(taken.getLocalPort()))
          .isInstanceOf(HowdahException.class)
          .hasMessageStartingWith(
              "cannot listen at port " + taken.getLocalPort() + " for metrics: ");
    }
  }

  @Test
  void whatGoesDownIsNoCounter() {
    for (String row : new String[] {"log_watchers", "lru_crawler_running"}) {
      assertThat(MetricsEndpoint.text(rows -> rows.accept(row, "1")))
          .endsWith("# TYPE howdah_server_" + row + " gauge\nhowdah_server_" + row + " 1\n");
    }
  }

  private static HttpResponse<String> get(HttpClient client, MetricsEndpoint endpoint, String path)
      throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + endpoint.port() + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
