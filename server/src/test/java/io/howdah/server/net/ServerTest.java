package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.AdminClient;
import io.howdah.server.transport.Transport;
import io.howdah.server.transport.TransportKind;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server by its socket: replies, limits, and what is there after it was killed. */
final class ServerTest {

  private static final int READ_TIMEOUT_MILLIS = 60_000;

  @TempDir Path folder;

  static ServerOptions options(ReplyMode mode, int maxConnections) {
    return ServerOptions.defaults()
        .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withThreads(2)
        .withMaxConnections(maxConnections)
        .withMode(mode);
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void expect(Socket socket, String text) throws IOException {
    byte[] got = socket.getInputStream().readNBytes(text.length());
    assertThat(new String(got, StandardCharsets.US_ASCII)).isEqualTo(text);
  }

  @ParameterizedTest
  @EnumSource
  void commandsAreServed(ReplyMode mode) throws IOException {
    try (Server server = new Server(folder, options(mode, 10));
        Socket socket = connect(server.address().getPort())) {
      send(socket, "set a 0 0 1\r\nx\r\nget a\r\nmg a v\r\n");
      expect(socket, "STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\nVA 1\r\nx\r\n");
      send(socket, "quit\r\n");
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void aLongPipelineGetsAllItsReplies() throws Exception {
    try (Server server = new Server(folder, options(ReplyMode.ASYNC, 10));
        Socket socket = connect(server.address().getPort())) {
      String value = "v".repeat(10_000);
      send(socket, "set a 0 0 10000\r\n" + value + "\r\n");
      expect(socket, "STORED\r\n");
      int count = 2000;
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      send(socket, "mg a v\r\n".repeat(count) + "mn\r\n");
                    } catch (IOException _) {
                      // the reader will miss what was not sent
                    }
                  });
      expect(socket, ("VA 10000\r\n" + value + "\r\n").repeat(count) + "MN\r\n");
      writer.join();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLargeValueSurvivesARestart(ReplyMode mode) throws IOException {
    String value = "0123456789".repeat(100_000);
    String hit = "VALUE a 0 1000000\r\n" + value + "\r\nEND\r\n";
    try (Server server = new Server(folder, options(mode, 10));
        Socket socket = connect(server.address().getPort())) {
      for (int i = 0; i < 5; i++) {
        send(socket, "set a 0 0 1000000\r\n" + value + "\r\nget a\r\n");
        expect(socket, "STORED\r\n" + hit);
      }
    }
    try (Server server = new Server(folder, options(mode, 10));
        Socket socket = connect(server.address().getPort())) {
      send(socket, "get a\r\n");
      expect(socket, mode == ReplyMode.NONE ? "END\r\n" : hit);
      assertThat(statistics(server))
          .containsEntry("howdah_recovered_items", mode == ReplyMode.NONE ? "0" : "1");
      if (mode != ReplyMode.NONE) {
        assertThat(statistics(server))
            .containsEntry("howdah_last_stop", "clean")
            .containsEntry("howdah_checkpoints", "0")
            .containsEntry("howdah_checkpoint_failed", "0")
            .containsKeys("howdah_log_bytes", "howdah_replay_bytes");
      }
    }
  }

  private static Map<String, String> statistics(Server server) {
    Map<String, String> rows = new HashMap<>();
    server.statistics(rows::put);
    return rows;
  }

  @Test
  void theLimitOfMemoryChangesWhileTheServerRuns() throws IOException {
    try (Server server = new Server(folder, options(ReplyMode.NONE, 10));
        Socket socket = connect(server.address().getPort())) {
      send(socket, "cache_memlimit 8\r\n");
      expect(socket, "OK\r\n");
      assertThat(statistics(server)).containsEntry("limit_maxbytes", Long.toString(8 << 20));
      send(socket, "cache_memlimit 1000000\r\n");
      expect(socket, "MEMLIMIT_ADJUST_FAILED out of bounds or unable to adjust\r\n");
      send(socket, "set a 0 0 1\r\nx\r\nget a\r\nget none\r\n");
      expect(socket, "STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\nEND\r\n");
      assertThat(statistics(server))
          .containsEntry("total_items", "1")
          .containsEntry("get_expired", "0");
    }
  }

  @Test
  void aUnixSocketIsServedWithItsPermissions() throws IOException {
    Path socket = folder.resolve("socket");
    ServerOptions options =
        options(ReplyMode.NONE, 10).withAddresses(List.of()).withUnixSocket(socket, 0600);
    try (Server _ = new Server(folder.resolve("store"), options);
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
          .isEqualTo("rw-------");
      channel.write(ByteBuffer.wrap("mn\r\n".getBytes(StandardCharsets.US_ASCII)));
      ByteBuffer reply = ByteBuffer.allocate(4);
      while (reply.hasRemaining() && channel.read(reply) >= 0) {}
      assertThat(new String(reply.array(), StandardCharsets.US_ASCII)).isEqualTo("MN\r\n");
    }
  }

  /**
   * Between its making and its permissions nobody can connect: it is made where nobody may enter.
   */
  @Test
  void aUnixSocketIsMadeInAFolderOfItsOwn() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path place = folder.resolve("socket");
    Transport transport = Transport.of(TransportKind.NIO);
    List<String> folders = new ArrayList<>();
    Transport seen =
        new Transport(
            transport.kind(),
            transport.handlers(),
            transport.tcp(),
            transport.client(),
            transport.unix(),
            path -> {
              folders.add(permissions(Objects.requireNonNull(path.getParent())));
              assertThat(path).doesNotExist();
              return transport.unixAddress().apply(path);
            });
    ServerOptions options =
        options(ReplyMode.NONE, 10).withAddresses(List.of()).withUnixSocket(place, 0660);
    MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, seen.handlers());
    try (Listeners listeners =
        new Listeners(seen, loops, options, new ChannelInboundHandlerAdapter())) {
      assertThat(listeners.places()).containsExactly(place.toString());
      assertThat(permissions(place)).isEqualTo("rw-rw----");
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
    assertThat(folders).containsExactly("rwx------");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  private static String permissions(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theStoreOfARunningServerIsBackedUpThroughItsAdminSocket() throws IOException {
    Path copy = folder.resolve("copy");
    Path store = folder.resolve("store");
    try (Server server = new Server(store, options(ReplyMode.ASYNC, 10));
        Socket socket = connect(server.address().getPort())) {
      send(socket, "set a 0 0 1\r\nx\r\n");
      expect(socket, "STORED\r\n");
      assertThat(AdminClient.backup(store, copy)).isPositive();
      send(socket, "set a 0 0 1\r\ny\r\n");
      expect(socket, "STORED\r\n");
    }
    try (Server server = new Server(copy, options(ReplyMode.ASYNC, 10));
        Socket socket = connect(server.address().getPort())) {
      send(socket, "get a\r\n");
      expect(socket, "VALUE a 0 1\r\nx\r\nEND\r\n");
    }
  }

  @Test
  void aConnectionTooManyIsTold() throws IOException {
    try (Server server = new Server(folder, options(ReplyMode.NONE, 1));
        Socket first = connect(server.address().getPort())) {
      send(first, "mn\r\n");
      expect(first, "MN\r\n");
      try (Socket second = connect(server.address().getPort())) {
        expect(second, "ERROR Too many open connections\r\n");
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ASYNC", "SYNC"})
  void whatWasAcknowledgedIsThereAfterAKill(ReplyMode mode) throws Exception {
    int acknowledged = 500;
    Process process = start(mode);
    try (Socket socket = connect(port(process))) {
      for (int i = 0; i < acknowledged; i++) {
        send(socket, "set k" + i + " 0 0 1\r\nx\r\n");
        expect(socket, "STORED\r\n");
      }
      send(socket, "delete k0\r\n");
      expect(socket, "DELETED\r\n");
      send(socket, "set half 0 0 10\r\n12345");
    } finally {
      process.destroyForcibly().waitFor();
    }
    try (Server server = new Server(folder, options(mode, 10));
        Socket socket = connect(server.address().getPort())) {
      for (int i = 1; i < acknowledged; i++) {
        send(socket, "get k" + i + "\r\n");
        expect(socket, "VALUE k" + i + " 0 1\r\nx\r\nEND\r\n");
      }
      send(socket, "get k0 half\r\n");
      expect(socket, "END\r\n");
    }
  }

  private Process start(ReplyMode mode) throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                ServedProcess.class.getName(),
                folder.toString(),
                mode.name()))
        .redirectErrorStream(true)
        .start();
  }

  /** The first line is the port: a warning of the JVM or of Netty would stand before it. */
  private static int port(Process process) throws IOException {
    InputStream out = process.getInputStream();
    StringBuilder line = new StringBuilder();
    for (int next = out.read(); next != '\n' && next != -1; next = out.read()) {
      line.append((char) next);
    }
    return Integer.parseInt(line.toString().strip());
  }

  /** Serves until it is killed. */
  static final class ServedProcess {

    private ServedProcess() {}

    public static void main(String[] args) throws InterruptedException {
      Server server = new Server(Path.of(args[0]), options(ReplyMode.valueOf(args[1]), 10));
      System.out.println(server.address().getPort());
      Thread.currentThread().join();
    }
  }

  /** An error of the machine, as without memory, is no reason to keep the store. */
  @Test
  void anErrorAtTheStartLeavesTheStoreToTheNextOne() throws IOException {
    new Server(folder, options(ReplyMode.SYNC, 10)).close();
    Path bad =
        (Path)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Path.class},
                (_, method, _) -> {
                  if (method.getName().equals("toString")) {
                    return "socket";
                  }
                  throw new OutOfMemoryError("by the test");
                });
    assertThatThrownBy(
            () -> new Server(folder, options(ReplyMode.SYNC, 10).withUnixSocket(bad, 0700)))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("by the test");
    new Server(folder, options(ReplyMode.SYNC, 10)).close();
  }
}
