package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.server.transport.TransportKind;
import io.howdah.server.transport.TransportUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that are gone: with a reset in the middle of a value, or without a word. */
@Timeout(180)
final class LostClientsTest {

  private static final int HALF = 400_000;
  private static final int PATIENCE_MILLIS = 30_000;
  private static final long PATIENCE_NANOS = PATIENCE_MILLIS * 1_000_000L;

  /** The column of /proc/net/tcp that tells which timer of a connection runs. */
  private static final int TIMER_COLUMN = 5;

  private static final String KEEPALIVE = "02:";

  private static final int LOCAL_COLUMN = 1;
  private static final int REMOTE_COLUMN = 2;

  @TempDir Path folder;

  private static ServerOptions options(TransportKind transport) {
    return ServerOptions.defaults()
        .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withTransport(transport)
        .withThreads(1)
        .withMode(ReplyMode.NONE);
  }

  private Server server(TransportKind transport) {
    return new Server(folder, options(transport));
  }

  private static Socket connect(Server server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
  }

  private static String ask(Socket socket, String request, String end) throws IOException {
    socket.getOutputStream().write(request.getBytes(US_ASCII));
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

  private static void await(Socket socket, String... rows) throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    String stats;
    boolean isThere;
    do {
      stats = ask(socket, "stats\r\n", "END\r\n");
      isThere = true;
      for (String row : rows) {
        isThere &= stats.contains("STAT " + row + "\r\n");
      }
    } while (!isThere && System.nanoTime() < deadline);
    for (String row : rows) {
      assertThat(stats).contains("STAT " + row + "\r\n");
    }
  }

  @Test
  void aResetWithinAValueLeavesNothing() throws IOException {
    String value = "v".repeat(2 * HALF);
    try (Server server = server(TransportKind.NIO);
        Socket other = connect(server)) {
      Socket lost = connect(server);
      assertThat(ask(lost, "set old 0 0 1\r\nx\r\n", "\n")).isEqualTo("STORED\r\n");
      String begun = "set a 0 0 " + value.length() + "\r\n" + value.substring(HALF);
      lost.getOutputStream().write(begun.getBytes(US_ASCII));
      String stats;
      do {
        stats = ask(other, "stats\r\n", "END\r\n");
      } while (stats.contains("STAT howdah_pending_bytes 0\r\n"));
      lost.setSoLinger(true, 0); // a reset
      lost.close();
      await(other, "curr_connections 1", "howdah_pending_bytes 0", "howdah_partial_bytes 0");
      assertThat(ask(other, "get a old\r\n", "END\r\n")).isEqualTo("VALUE old 0 1\r\nx\r\nEND\r\n");
      String set = "set a 0 0 " + value.length() + "\r\n" + value + "\r\n";
      assertThat(ask(other, set, "\n")).isEqualTo("STORED\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "set a 0 0 100\r\nhalf"})
  void aClientThatSaysNothingInTimeIsClosed(String begun) throws IOException {
    Duration second = Duration.ofSeconds(1);
    ConnectionLimits limits = ConnectionLimits.DEFAULTS.withTimeouts(second, second, Duration.ZERO);
    try (Server server = new Server(folder, options(TransportKind.NIO).withLimits(limits));
        Socket lost = connect(server)) {
      lost.setSoTimeout(PATIENCE_MILLIS);
      assertThat(ask(lost, "mn\r\n" + begun, "\n")).isEqualTo("MN\r\n");
      assertThat(lost.getInputStream().read()).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void theKernelAsksWhetherASilentClientIsStillThere(TransportKind transport) throws IOException {
    assumeTrue(Files.isReadable(Path.of("/proc/net/tcp")), "no /proc/net/tcp to look at");
    Server started;
    try {
      started = server(transport);
    } catch (TransportUnavailableException _) {
      return;
    }
    try (Server server = started;
        Socket silent = connect(server)) {
      assertThat(ask(silent, "mn\r\n", "\n")).isEqualTo("MN\r\n");
      int port = server.address().getPort();
      // The timer that sends again runs first, until the client has confirmed the reply.
      while (!timer(port, silent.getLocalPort()).startsWith(KEEPALIVE)) {
        assertThat(timer(port, silent.getLocalPort())).doesNotStartWith("00:");
      }
    }
  }

  private static String timer(int localPort, int remotePort) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      if (Files.isReadable(Path.of(table))) {
        lines.addAll(Files.readAllLines(Path.of(table)));
      }
    }
    for (String line : lines) {
      String[] columns = line.trim().split(" +", -1);
      if (columns[LOCAL_COLUMN].endsWith(hex(localPort))
          && columns[REMOTE_COLUMN].endsWith(hex(remotePort))) {
        return columns[TIMER_COLUMN];
      }
    }
    throw new AssertionError("no connection from " + remotePort + " to " + localPort);
  }

  private static String hex(int port) {
    return String.format(":%04X", port);
  }
}
