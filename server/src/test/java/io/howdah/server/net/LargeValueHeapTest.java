package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server with a heap of 64 MiB and values that are larger than that, several at a time. */
@Tag("scaled")
final class LargeValueHeapTest {

  private static final int VALUE_BYTES = 80 << 20;

  /** Two values at a time; campaigns store three. */
  private static final int CONNECTIONS = Integer.getInteger("howdah.stride", 2) == 1 ? 3 : 2;

  private static final int READ_TIMEOUT_MILLIS = 120_000;
  private static final Duration DEADLINE = Duration.ofMinutes(4);

  /** The server's process: prints its port, and ends with its standard input. */
  static final class ServerProcess {

    private ServerProcess() {}

    public static void main(String[] args) throws IOException {
      ServerOptions options =
          ServerOptions.defaults()
              .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
              .withThreads(2)
              .withMode(ReplyMode.NONE)
              .withMaxBytes(600 << 20)
              .withMaxItemBytes(1 << 30);
      try (Server server = new Server(Path.of(""), options)) {
        System.out.println(server.address().getPort());
        System.out.flush();
        int _ = System.in.read();
      }
    }
  }

  private static Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx64m");
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ServerProcess.class.getName());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    return socket;
  }

  private static byte[] piece(int number) {
    byte[] piece = new byte[1 << 20];
    Arrays.fill(piece, (byte) ('a' + number % 26));
    return piece;
  }

  private static void store(Socket socket, int number, int bytes) throws IOException {
    OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
    out.write(("set key" + number + " 0 0 " + VALUE_BYTES + "\r\n").getBytes(US_ASCII));
    byte[] piece = piece(number);
    for (int sent = 0; sent < bytes; sent += piece.length) {
      out.write(piece);
    }
    out.flush();
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      assertThat(next).as("closed after " + line).isNotNegative();
      line.append((char) next);
    }
    return line.toString().strip();
  }

  private static void storeAndRead(int port, int number) throws IOException {
    try (Socket half = connect(port)) {
      store(half, number, VALUE_BYTES / 2);
    }
    try (Socket socket = connect(port)) {
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
      store(socket, number, VALUE_BYTES);
      socket.getOutputStream().write("\r\n".getBytes(US_ASCII));
      assertThat(line(in)).isEqualTo("STORED");
      byte[] get = ("get key" + number + "\r\n").getBytes(US_ASCII);
      try (Socket half = connect(port)) {
        half.getOutputStream().write(get);
        assertThat(half.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);
      }
      socket.getOutputStream().write(get);
      assertThat(line(in)).isEqualTo("VALUE key" + number + " 0 " + VALUE_BYTES);
      byte[] expected = piece(number);
      byte[] piece = new byte[expected.length];
      for (int read = 0; read < VALUE_BYTES; read += piece.length) {
        in.readFully(piece);
        assertThat(Arrays.equals(piece, expected)).isTrue();
      }
      assertThat(line(in)).isEmpty();
      assertThat(line(in)).isEqualTo("END");
    }
  }

  @Test
  void valuesLargerThanTheHeapComeAndGo()
      throws IOException, InterruptedException, ExecutionException {
    Process server = start();
    try {
      int port = Integer.parseInt(line(server.getInputStream()));
      List<CompletableFuture<Void>> clients = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        int number = i;
        clients.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    storeAndRead(port, number);
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                },
                task -> Thread.ofPlatform().daemon().start(task)));
      }
      for (CompletableFuture<Void> client : clients) {
        assertThat(client).succeedsWithin(DEADLINE);
      }
      try (Socket socket = connect(port)) {
        socket.getOutputStream().write("stats\r\n".getBytes(US_ASCII));
        InputStream in = new BufferedInputStream(socket.getInputStream());
        List<String> rows = new ArrayList<>();
        for (String row = line(in); !row.equals("END"); row = line(in)) {
          rows.add(row);
        }
        assertThat(rows).contains("STAT curr_items " + CONNECTIONS, "STAT howdah_read_bytes 0");
      }
    } finally {
      server.getOutputStream().close();
      if (!server.waitFor(30, TimeUnit.SECONDS)) {
        server.destroyForcibly();
      }
    }
  }
}
