package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.howdah.server.transport.TransportKind;
import io.howdah.server.transport.TransportUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What slow, silent and greedy clients get. */
final class ConnectionLimitsTest {

  private static final int READ_TIMEOUT_MILLIS = 120_000;
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration NEVER = Duration.ZERO;

  @TempDir Path folder;

  private Server server(ConnectionLimits limits) {
    return new Server(folder, options().withLimits(limits));
  }

  private static ServerOptions options() {
    return ServerOptions.defaults()
        .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withTransport(TransportKind.NIO)
        .withThreads(1)
        .withMode(ReplyMode.NONE);
  }

  private static Socket connect(Server server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private static String read(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), US_ASCII);
  }

  private static String ask(Socket socket, String request, String end) throws IOException {
    send(socket, request);
    StringBuilder reply = new StringBuilder();
    while (!reply.toString().endsWith(end)) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new AssertionError("closed after " + reply);
      }
      reply.append((char) next);
    }
    return reply.toString();
  }

  private static void expectClosed(Socket socket) throws IOException {
    try {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException _) {
      // reset: what it sent was not read any more
    }
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void everyTransportServes(TransportKind kind) throws IOException {
    Server started;
    try {
      started = new Server(folder, options().withTransport(kind));
    } catch (TransportUnavailableException e) {
      assertThat(e).hasMessageContaining("does not work on this machine");
      return;
    }
    try (Server server = started;
        Socket socket = connect(server)) {
      assertThat(server.transport()).isEqualTo(kind);
      assertThat(ask(socket, "set a 0 0 1\r\nx\r\nget a\r\n", "END\r\n"))
          .isEqualTo("STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n");
    }
  }

  @Test
  void aSilentClientIsClosedAndCounted() throws IOException {
    try (Server server = server(ConnectionLimits.DEFAULTS.withTimeouts(SHORT, NEVER, NEVER));
        Socket silent = connect(server)) {
      assertThat(ask(silent, "mn\r\n", "\n")).isEqualTo("MN\r\n");
      expectClosed(silent);
      try (Socket socket = connect(server)) {
        assertThat(ask(socket, "stats\r\n", "END\r\n")).contains("STAT idle_kicks 1\r\n");
      }
    }
  }

  @Test
  void halfACommandIsClosedHoweverItTrickles() throws IOException {
    try (Server server = server(ConnectionLimits.DEFAULTS.withTimeouts(NEVER, SHORT, NEVER));
        Socket idle = connect(server);
        Socket line = connect(server);
        Socket value = connect(server)) {
      assertThat(ask(idle, "mn\r\n", "\n")).isEqualTo("MN\r\n");
      send(line, "get ");
      send(value, "set a 0 0 100\r\n");
      expectClosed(line);
      expectClosed(value);
      assertThat(ask(idle, "stats\r\n", "END\r\n")).contains("STAT howdah_request_timeouts 2\r\n");
    }
  }

  @Test
  void aClientThatDoesNotReadIsClosed() throws IOException {
    try (Server server = server(ConnectionLimits.DEFAULTS.withTimeouts(NEVER, NEVER, SHORT));
        Socket deaf = connect(server);
        Socket other = connect(server)) {
      String value = "v".repeat(1_000_000);
      ask(deaf, "set a 0 0 1000000\r\n" + value + "\r\n", "STORED\r\n");
      try {
        for (int i = 0; i < 20_000; i++) {
          send(deaf, "mg a v\r\n");
        }
        deaf.setSoTimeout(READ_TIMEOUT_MILLIS);
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (true) {
          String stats = ask(other, "stats\r\n", "END\r\n");
          if (stats.contains("STAT howdah_write_timeouts 1\r\n")) {
            assertThat(stats).contains("STAT howdah_unsent_bytes 0\r\n");
            return;
          }
          assertThat(stats).contains("STAT howdah_write_timeouts 0\r\n");
          assertThat(System.nanoTime()).isLessThan(end);
        }
      } catch (SocketException _) {
        assertThat(ask(other, "stats\r\n", "END\r\n")).contains("STAT howdah_write_timeouts 1\r\n");
      }
    }
  }

  /** All come from one address; the write timeout is of no help. */
  @Test
  void connectionsThatDoNotReadDoNotHoldOthersOfTheirAddress() throws IOException {
    ConnectionLimits limits =
        ConnectionLimits.DEFAULTS.withTimeouts(NEVER, NEVER, NEVER).withMaxBytes(1 << 20, 1 << 20);
    List<Socket> deaf = new ArrayList<>();
    try (Server server = server(limits);
        Socket other = connect(server)) {
      String value = "v".repeat(60_000);
      ask(
          other,
          "set a 0 0 60000\r\n" + value + "\r\nset b 0 0 1\r\nx\r\n",
          "STORED\r\nSTORED\r\n");
      long deadline = System.nanoTime() + DEADLINE.toNanos();
      while (unsent(server) < 1 << 19) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        Socket socket = new Socket();
        socket.setReceiveBufferSize(1 << 12);
        socket.connect(server.address());
        deaf.add(socket);
        send(socket, "mg a v\r\n".repeat(2000));
      }
      other.setSoTimeout(20_000);
      assertThat(ask(other, "get b\r\n", "END\r\n")).isEqualTo("VALUE b 0 1\r\nx\r\nEND\r\n");
      assertThat(statistic(server, "howdah_write_timeouts")).isPositive();
    } finally {
      for (Socket socket : deaf) {
        socket.close();
      }
    }
  }

  private static long unsent(Server server) {
    return statistic(server, "howdah_unsent_bytes");
  }

  private static long statistic(Server server, String name) {
    Map<String, String> rows = new HashMap<>();
    server.statistics(rows::put);
    return Long.parseLong(rows.getOrDefault(name, "-1"));
  }

  @Test
  void whatIsHalfReceivedIsLimitedOverAllConnections() throws IOException {
    ConnectionLimits limits =
        ConnectionLimits.DEFAULTS.withTimeouts(NEVER, NEVER, NEVER).withMaxBytes(1 << 20, 1 << 20);
    try (Server server = server(limits)) {
      List<Socket> sockets = new ArrayList<>();
      try (Socket other = connect(server)) {
        ask(other, "set c 0 0 1\r\nx\r\n", "STORED\r\n");
        // A line may have so many keys. The parts are small: the refused one is sent before the
        // close.
        String part = " key".repeat(5_000);
        long sent = 0;
        boolean isRefused = false;
        while (!isRefused) {
          assertThat(sockets).as("connections with 200 kB each").hasSizeLessThan(6);
          Socket socket = connect(server);
          sockets.add(socket);
          send(socket, "get");
          for (int i = 0; i < 10 && !isRefused; i++) {
            send(socket, part);
            sent += part.length();
            isRefused = awaitPartialBytes(other, sent);
          }
        }
        Socket refused = sockets.removeLast();
        assertThat(ask(refused, "", "\n"))
            .isEqualTo("SERVER_ERROR out of memory reading request\r\n");
        expectClosed(refused);
        refused.close();
        assertThat(ask(other, "get c\r\n", "END\r\n")).isEqualTo("VALUE c 0 1\r\nx\r\nEND\r\n");
        assertThat(ask(sockets.getFirst(), "\r\n", "END\r\n")).isEqualTo("END\r\n");
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
    }
  }

  /** Waits until so many bytes are half received; returns true if that was refused instead. */
  private static boolean awaitPartialBytes(Socket socket, long bytes) throws IOException {
    Pattern row = Pattern.compile("STAT howdah_partial_bytes ([0-9]+)");
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (System.nanoTime() - deadline < 0) {
      String stats = ask(socket, "stats\r\n", "END\r\n");
      Matcher matcher = row.matcher(stats);
      assertThat(matcher.find()).isTrue();
      if (stats.contains("STAT howdah_partial_refused 1\r\n")) {
        return true;
      }
      if (Long.parseLong(matcher.group(1)) >= bytes) {
        return false;
      }
    }
    throw new AssertionError("the bytes were neither counted nor refused");
  }

  @Test
  void aReplyToManyLargeKeysIsMadeInParts() throws IOException {
    try (Server server = server(ConnectionLimits.DEFAULTS);
        Socket socket = connect(server)) {
      String value = "v".repeat(100_000);
      ask(socket, "set a 0 0 100000\r\n" + value + "\r\n", "STORED\r\n");
      String line = "get" + " a none".repeat(1000) + "\r\nget a\r\n";
      send(socket, line);
      // Whatever the socket's buffers take: what waits in the server is a part, not 100 MB.
      try (Socket other = connect(server)) {
        Matcher unsent =
            Pattern.compile("STAT howdah_unsent_bytes ([0-9]+)")
                .matcher(ask(other, "stats\r\n", "END\r\n"));
        assertThat(unsent.find()).isTrue();
        assertThat(Long.parseLong(unsent.group(1))).isLessThan(300_000);
      }
      String hit = "VALUE a 0 100000\r\n" + value + "\r\n";
      for (int i = 0; i < 1000; i++) {
        assertThat(read(socket, hit.length())).isEqualTo(hit);
      }
      assertThat(read(socket, hit.length() + 10)).isEqualTo("END\r\n" + hit + "END\r\n");
      send(socket, "get" + " a".repeat(100) + " " + "k".repeat(251) + "\r\n");
      assertThat(ask(socket, "", "\n")).isEqualTo("CLIENT_ERROR bad command line format\r\n");
      assertThat(ask(socket, "stats\r\n", "END\r\n"))
          .contains("STAT cmd_get 2002\r\n", "STAT get_misses 1000\r\n");
    }
  }

  @Test
  void aLongPipelineYieldsItsTurn() throws IOException {
    try (Server server = server(ConnectionLimits.DEFAULTS.withCommandsPerTurn(3));
        Socket socket = connect(server)) {
      send(socket, "mn\r\n".repeat(100));
      assertThat(read(socket, 400)).isEqualTo("MN\r\n".repeat(100));
      send(socket, "mg none q\r\n".repeat(50) + "mn\r\n");
      assertThat(read(socket, 4)).isEqualTo("MN\r\n");
      assertThat(ask(socket, "stats\r\n", "END\r\n")).doesNotContain("STAT conn_yields 0\r\n");
    }
  }

  @Test
  void aClientThatIsNotKnownRunsNothingAndTheFileCanBeReadAgain() throws IOException {
    Path file = Files.writeString(folder.resolve("users"), "ann:secret\n");
    try (Server server = new Server(folder, options().withAuthFile(file))) {
      try (Socket socket = connect(server)) {
        assertThat(ask(socket, "get abc\r\n", "\n")).isEqualTo("CLIENT_ERROR unauthenticated\r\n");
        assertThat(ask(socket, "set x 0 0 8\r\nann nope\r\n", "\n"))
            .isEqualTo("CLIENT_ERROR authentication failure\r\n");
        assertThat(ask(socket, "set x 0 0 10\r\nann secret\r\n", "\n")).isEqualTo("STORED\r\n");
        assertThat(ask(socket, "get a\r\n", "\n")).isEqualTo("END\r\n");
      }
      Files.writeString(file, "bob:other\n");
      server.reload();
      try (Socket socket = connect(server)) {
        assertThat(ask(socket, "set x 0 0 10\r\nann secret\r\n", "\n"))
            .isEqualTo("CLIENT_ERROR authentication failure\r\n");
        assertThat(ask(socket, "set x 0 0 9\r\nbob other\r\n", "\n")).isEqualTo("STORED\r\n");
      }
    }
  }

  @Test
  void numbersOutsideTheirRangeAreRefused() {
    ConnectionLimits limits = ConnectionLimits.DEFAULTS;
    assertThatIllegalArgumentException().isThrownBy(() -> limits.withMaxConnections(0));
    assertThatIllegalArgumentException().isThrownBy(() -> limits.withCommandsPerTurn(0));
    assertThatIllegalArgumentException().isThrownBy(() -> limits.withMaxBytes(1, 1 << 20));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limits.withTimeouts(Duration.ofSeconds(-1), NEVER, NEVER));
  }
}
