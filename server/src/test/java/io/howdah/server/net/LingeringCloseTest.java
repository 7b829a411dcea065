package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.transport.TransportKind;
import io.howdah.server.transport.TransportUnavailableException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server ends a connection whose client still sends, and whose replies are on their way. */
final class LingeringCloseTest {

  private static final int READ_TIMEOUT_MILLIS = 60_000;
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final String VALUE = "v".repeat(1000);
  private static final String HIT = "VALUE v 0 1000\r\n" + VALUE + "\r\nEND\r\n";

  @TempDir Path folder;

  private static ServerOptions options(TransportKind kind, ReplyMode mode) {
    return ServerOptions.defaults()
        .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withTransport(kind)
        .withThreads(1)
        .withMode(mode);
  }

  private static Socket connect(Server server) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(1 << 12);
    socket.connect(server.address());
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    socket.getOutputStream().write(("set v 0 0 1000\r\n" + VALUE + "\r\n").getBytes(US_ASCII));
    assertThat(read(socket, "STORED\r\n".length())).isEqualTo("STORED\r\n");
    return socket;
  }

  private static String read(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), US_ASCII);
  }

  /** Sends from another thread, since nobody reads yet. Completes when the client may go on. */
  private static CompletableFuture<Boolean> send(Socket socket, String text) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(US_ASCII));
            return true;
          } catch (IOException _) {
            return false;
          }
        },
        task -> Thread.ofPlatform().daemon().start(task));
  }

  private static long statistic(Server server, String name) {
    Map<String, String> rows = new HashMap<>();
    server.statistics(rows::put);
    return Long.parseLong(rows.getOrDefault(name, "-1"));
  }

  /**
   * Waits until all replies to gets were sent, or the client has to take some of them first. The
   * reply to the command before them may still count as unsent when the client has read it.
   */
  private static void awaitReplies(Server server, long gets) throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (statistic(server, "cmd_get") == 0
        || (statistic(server, "howdah_unsent_bytes") == 0 && statistic(server, "cmd_get") < gets)) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  private static int count(String text, String part) {
    return (text.length() - text.replace(part, "").length()) / part.length();
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void whatWasExecutedBeforeAStopIsReplied(TransportKind kind) throws Exception {
    StringBuilder commands = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      commands.append("set n").append(i).append(" 0 0 1\r\n1\r\nget v\r\n");
    }
    Server started;
    try {
      started = new Server(folder, options(kind, ReplyMode.ASYNC));
    } catch (TransportUnavailableException e) {
      assertThat(e).hasMessageContaining("does not work on this machine");
      return;
    }
    String got;
    try (Server server = started;
        Socket socket = connect(server)) {
      CompletableFuture<Boolean> _ = send(socket, commands.toString());
      awaitReplies(server, Long.MAX_VALUE);
      CompletableFuture<Void> stopped =
          CompletableFuture.runAsync(
              server::close, task -> Thread.ofPlatform().daemon().start(task));
      got = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      socket.shutdownOutput();
      stopped.join();
    }
    assertThat(got).startsWith("STORED\r\n" + HIT);
    try (Server server = new Server(folder, options(kind, ReplyMode.ASYNC))) {
      assertThat(count(got, "STORED\r\n")).isEqualTo(server.items() - 1);
    }
  }

  /** What follows is dropped in the first case, and a line that never ends in the second. */
  @ParameterizedTest
  @ValueSource(strings = {"quit\r\n", ""})
  void whatStandsBeforeTheEndOfASessionIsReplied(String end) throws Exception {
    int gets = 1000;
    try (Server server = new Server(folder, options(TransportKind.NIO, ReplyMode.NONE));
        Socket socket = connect(server)) {
      CompletableFuture<Boolean> sent =
          send(socket, "get v\r\n".repeat(gets) + end + "y".repeat(1_000_000));
      awaitReplies(server, gets);
      String got = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(got).isEqualTo(HIT.repeat(gets));
      assertThat(sent.join()).isTrue();
    }
  }

  @Test
  void aClientThatSendsWithoutEndIsCutOff() throws Exception {
    try (Server server = new Server(folder, options(TransportKind.NIO, ReplyMode.NONE));
        Socket socket = connect(server)) {
      assertThat(send(socket, "quit\r\n" + "y".repeat(1 << 26)).join()).isFalse();
    }
  }
}
