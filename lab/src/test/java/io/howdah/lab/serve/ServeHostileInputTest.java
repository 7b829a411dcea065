package io.howdah.lab.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServerProcess;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import io.howdah.crashtest.serve.TextConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that nobody who means well sends, over sockets, to one server with little memory. It may
 * refuse or close; it goes on serving others, and writes no exception and no leak.
 */
final class ServeHostileInputTest {

  private static final int MAX_CONNECTIONS = 64;
  private static final int INPUTS_PER_CONNECTION = 50;
  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;

  private static ServerProcess server;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException {
    server =
        Launcher.of(System.getProperty("java.class.path"))
            .withFlags("-Xmx64m", "-XX:MaxDirectMemorySize=64m", "-XX:+ExitOnOutOfMemoryError")
            .start(folder, 0, "-c", Integer.toString(MAX_CONNECTIONS), "-m", "8", "-t", "2");
  }

  @AfterAll
  static void stop() throws IOException {
    assertThat(server.isAlive()).as(server::output).isTrue();
    assertThat(server.stop()).as(server::output).isIn(0, 143);
    assertThat(server.output()).doesNotContain("LEAK", "Exception", "Error", "\tat ");
  }

  private static void serves() throws IOException {
    try (TextConnection connection = new TextConnection(server.port())) {
      connection.send("mn\r\n");
      assertThat(connection.line()).isEqualTo("MN");
    }
  }

  /** Sends bytes, ends the output, and returns all that comes until the server closes. */
  private static String ask(byte[] bytes) throws IOException {
    try (SocketChannel channel = connect()) {
      ByteArrayOutputStream replies = new ByteArrayOutputStream();
      try {
        ByteBuffer input = ByteBuffer.wrap(bytes);
        while (input.hasRemaining()) {
          channel.write(input);
        }
        channel.shutdownOutput();
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        while (channel.read(buffer) >= 0) {
          replies.write(buffer.array(), 0, buffer.position());
          buffer.clear();
        }
      } catch (IOException _) {
        // It was closed with bytes unread.
      }
      return replies.toString(ISO_8859_1);
    }
  }

  private static SocketChannel connect() throws IOException {
    return SocketChannel.open(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
  }

  /** One of each kind of command, with the reply; they leave no items. */
  private static final List<String[]> CONVERSATION =
      List.of(
          new String[] {"set f 7 0 3\r\nabc\r\n", "STORED\r\n"},
          new String[] {"add f 0 0 1\r\nx\r\n", "NOT_STORED\r\n"},
          new String[] {"replace f 8 0 1\r\nb\r\n", "STORED\r\n"},
          new String[] {"append f 0 0 2\r\n\r\n\r\n", "STORED\r\n"},
          new String[] {"prepend f 0 0 1\r\na\r\n", "STORED\r\n"},
          new String[] {
            "get f f none\r\n", "VALUE f 8 4\r\nab\r\n\r\nVALUE f 8 4\r\nab\r\n\r\nEND\r\n"
          },
          new String[] {"cas f 0 0 1 9999999999999\r\nx\r\n", "EXISTS\r\n"},
          new String[] {"gat 0 f\r\n", "VALUE f 8 4\r\nab\r\n\r\nEND\r\n"},
          new String[] {"touch f 1000\r\n", "TOUCHED\r\n"},
          new String[] {"set n 0 0 2\r\n10\r\n", "STORED\r\n"},
          new String[] {"incr n 5\r\n", "15\r\n"},
          new String[] {"decr n 15\r\n", "0\r\n"},
          new String[] {"delete n\r\n", "DELETED\r\n"},
          new String[] {"set f 0 0 1 noreply\r\nq\r\nmn\r\n", "MN\r\n"},
          new String[] {"ms m 2 T0 F3\r\nhi\r\n", "HD\r\n"},
          new String[] {
            "mg m k f v s Oxyz\r\n", "VA 2 kf3 s2 Oxyz\r\nhi\r\n".replace("kf3", "km f3")
          },
          new String[] {
            "ma m\r\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n"
          },
          new String[] {"me none\r\n", "EN\r\n"},
          new String[] {"md m q\r\nmn\r\n", "MN\r\n"},
          new String[] {"verbosity 1\r\n", "OK\r\n"},
          new String[] {"delete f\r\n", "DELETED\r\n"},
          new String[] {"no such command\r\n", "ERROR\r\n"});

  @Test
  void commandsInPiecesOfEachSize() throws IOException {
    StringBuilder sent = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (String[] step : CONVERSATION) {
      sent.append(step[0]);
      expected.append(step[1]);
    }
    String all = sent.toString();
    for (int size : new int[] {1, 2, 3, 7, 64}) {
      try (TextConnection connection = new TextConnection(server.port())) {
        for (int from = 0; from < all.length(); from += size) {
          connection.send(all.substring(from, Math.min(all.length(), from + size)));
        }
        assertThat(new String(connection.bytes(expected.length()), ISO_8859_1))
            .as("pieces of " + size)
            .isEqualTo(expected.toString());
      }
    }
  }

  @Test
  void commandsInTwoPiecesAtEveryByte() throws IOException {
    try (TextConnection connection = new TextConnection(server.port());
        TextConnection other = new TextConnection(server.port())) {
      int longest = CONVERSATION.stream().mapToInt(step -> step[0].length()).max().orElseThrow();
      for (int cut = 1; cut < longest; cut++) {
        for (String[] step : CONVERSATION) {
          int at = Math.min(cut, step[0].length());
          connection.send(step[0].substring(0, at));
          if (at < step[0].length()) {
            other.send("mn\r\n"); // gives the server time to read the first piece alone
            assertThat(other.line()).isEqualTo("MN");
            connection.send(step[0].substring(at));
          }
          assertThat(new String(connection.bytes(step[1].length()), ISO_8859_1))
              .as(step[0] + " cut at " + at)
              .isEqualTo(step[1]);
        }
      }
    }
  }

  /** One of each kind of command of the binary protocol; they leave no items. */
  private static List<byte[]> binaryConversation() {
    byte[] none = new byte[0];
    return List.of(
        BinaryWire.store(BinaryWire.SET, 7, 0, "f", "abc", 0),
        BinaryWire.store(BinaryWire.ADD, 0, 0, "f", "x", 0),
        BinaryWire.store(BinaryWire.REPLACE, 8, 0, "f", "b", 0),
        BinaryWire.store(BinaryWire.SET, 8, 0, "f", "b", 999_999_999),
        BinaryWire.request(BinaryWire.APPEND, "f", "\r\n\200"),
        BinaryWire.request(BinaryWire.PREPENDQ, "f", "a"),
        BinaryWire.request(BinaryWire.GET, "f", ""),
        BinaryWire.request(BinaryWire.GETK, "f", ""),
        BinaryWire.request(BinaryWire.GETKQ, "none", ""),
        BinaryWire.touch(BinaryWire.GAT, "f", 100),
        BinaryWire.touch(BinaryWire.TOUCH, "none", 100),
        BinaryWire.count(BinaryWire.INCREMENT, "n", 5, 10, 0),
        BinaryWire.count(BinaryWire.INCREMENT, "n", 5, 10, 0),
        BinaryWire.count(BinaryWire.DECREMENT, "f", 1, 0, -1),
        BinaryWire.request(BinaryWire.DELETE, "n", ""),
        BinaryWire.request(0x7f, none, "key", "of no command", 0),
        BinaryWire.request(BinaryWire.DELETE, "f", ""),
        BinaryWire.request(BinaryWire.GET, "f", ""));
  }

  /** Other tests leave items under the same keys. */
  private static void forgetItems() throws IOException {
    ask(bytes("delete f\r\ndelete n\r\n"));
  }

  @Test
  void binaryCommandsInTwoPiecesAtEveryByte() throws IOException {
    byte[] noop = BinaryWire.request(BinaryWire.NOOP, "", "");
    List<byte[]> requests = binaryConversation();
    try (TextConnection connection = new TextConnection(server.port());
        TextConnection other = new TextConnection(server.port())) {
      forgetItems();
      List<List<String>> expected = new ArrayList<>();
      for (byte[] request : requests) {
        connection.send(request);
        connection.send(noop);
        expected.add(BinaryWire.responses(connection));
      }
      assertThat(expected.get(6))
          .singleElement()
          .asString()
          .contains("status=0", "extras=00000008", "value=ab\r\n\200");
      int longest = requests.stream().mapToInt(request -> request.length).max().orElseThrow();
      for (int cut = 1; cut < longest; cut++) {
        for (int i = 0; i < requests.size(); i++) {
          byte[] request = requests.get(i);
          int at = Math.min(cut, request.length);
          connection.send(Arrays.copyOf(request, at));
          if (at < request.length) {
            other.send("mn\r\n"); // gives the server time to read the first piece alone
            assertThat(other.line()).isEqualTo("MN");
            connection.send(Arrays.copyOfRange(request, at, request.length));
          }
          connection.send(noop);
          assertThat(BinaryWire.responses(connection))
              .as("request " + i + " cut at " + at)
              .isEqualTo(expected.get(i));
        }
      }
    }
  }

  @Test
  void aBinaryPipelineInPiecesOfEachSize() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    binaryConversation().forEach(all::writeBytes);
    all.writeBytes(BinaryWire.request(BinaryWire.NOOP, "", ""));
    byte[] bytes = all.toByteArray();
    List<String> whole = null;
    for (int size : new int[] {bytes.length, 1, 2, 3, 7, 64}) {
      forgetItems();
      try (TextConnection connection = new TextConnection(server.port())) {
        for (int from = 0; from < bytes.length; from += size) {
          connection.send(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + size)));
        }
        List<String> responses = BinaryWire.responses(connection);
        whole = whole == null ? responses : whole;
        assertThat(responses).as("pieces of " + size).isEqualTo(whole).hasSizeGreaterThan(10);
      }
    }
  }

  @Test
  void aPipelineOfThousandsWhoseSenderSendsNoMore() throws IOException {
    int count = 20_000;
    String replies = ask(bytes("incr none 1\r\n".repeat(count) + "mn\r\n"));
    assertThat(replies).hasSize("NOT_FOUND\r\n".length() * count + "MN\r\n".length());
    assertThat(replies).endsWith("NOT_FOUND\r\nMN\r\n");
  }

  /** What is sent, and what comes before the connection ends; a star ends what is compared. */
  static List<String[]> oddities() {
    String key251 = "k".repeat(251);
    String badFormat = "CLIENT_ERROR bad command line format\r\n";
    String tooLarge = "SERVER_ERROR object too large for cache\r\n";
    List<String[]> cases = new ArrayList<>();
    cases.add(new String[] {"x".repeat(100_000), ""});
    cases.add(new String[] {"set " + "x".repeat(100_000), ""});
    cases.add(new String[] {"get " + "k ".repeat(1 << 18), "*"});
    cases.add(new String[] {"\r\n\n\r\n", badFormat.repeat(3)});
    cases.add(new String[] {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""});
    cases.add(new String[] {"POST /x HTTP/1.0\r\n\r\nset a 0 0 1\r\nx\r\n", ""});
    cases.add(new String[] {"set " + key251 + " 0 0 1\r\nx\r\n", badFormat});
    cases.add(new String[] {"get " + key251 + "\r\n", badFormat});
    cases.add(new String[] {"delete " + key251 + "\r\n", badFormat});
    cases.add(new String[] {"mg " + key251 + " v\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"set a 0 0 -1\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a 0 0 2147483647\r\n", "*"});
    cases.add(new String[] {"set a 0 0 2147483648\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a 0 0 4294967295\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a 0 0 18446744073709551617\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a 0 0 " + "9".repeat(100) + "\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a x 0 1\r\nx\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a 0 x 1\r\nx\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"set a 4294967296 0 1\r\nx\r\nmn\r\n", "STORED\r\nMN\r\n"});
    cases.add(
        new String[] {
          "set a 0 0 2000000\r\n" + "y".repeat(2_000_000) + "\r\nmn\r\n", tooLarge + "MN\r\n"
        });
    cases.add(new String[] {"ms a -1\r\nmn\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"ms a 99999999999\r\nmn\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"ms a S100 T0\r\nmn\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"mg\r\nmn\r\n", badFormat + "MN\r\n"});
    cases.add(new String[] {"mg a " + "v ".repeat(900) + "\r\n", "*"});
    cases.add(new String[] {"set half 0 0 1000\r\nonly this", ""});
    cases.add(new String[] {"set half 0 0 1000\r\n" + "x".repeat(1002) + "mn\r\n", "*"});
    cases.add(new String[] {"set a 0 0 3\r\nabcdef\r\nmn\r\n", "CLIENT_ERROR bad data chunk\r\n*"});
    cases.add(new String[] {"incr a " + "9".repeat(60) + "\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"incr a -1\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"touch a x\r\n", "CLIENT_ERROR invalid exptime argument\r\n"});
    cases.add(new String[] {"flush_all x\r\n", "CLIENT_ERROR*"});
    cases.add(new String[] {"shutdown\r\nmn\r\n", "SERVER_ERROR: shutdown not enabled\r\nMN\r\n"});
    cases.add(new String[] {"debugtime 100\r\nmn\r\n", "ERROR\r\nMN\r\n"});
    cases.add(
        new String[] {
          "set c\u0001\u007f 0 0 1\r\nx\r\nget c\u0001\u007f\r\n",
          "STORED\r\nVALUE c\u0001\u007f 0 1\r\nx\r\nEND\r\n"
        });
    cases.add(new String[] {"get \u0000\u0000\r\nmn\r\n", "*"});
    cases.add(new String[] {"\u0000\u0000\u0000\u0000\r\nmn\r\n", "ERROR\r\nMN\r\n"});
    cases.add(new String[] {"mn\r\n\u0080\u0000\u0000\u0000\r\nmn\r\n", "MN\r\nERROR\r\nMN\r\n"});
    cases.add(new String[] {"quit\r\nmn\r\n", ""});
    cases.add(
        new String[] {
          "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003", "*"
        }); // TLS
    return cases;
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource
  void oddities(String sent, String expected) throws IOException {
    String replies = ask(bytes(sent));
    String what = sent.length() > 200 ? sent.substring(0, 200) + "..." : sent;
    if (expected.endsWith("*")) {
      assertThat(replies).as(what).startsWith(expected.substring(0, expected.length() - 1));
    } else {
      assertThat(replies).as(what).isEqualTo(expected);
    }
    serves();
    assertThat(ask(bytes("get half\r\ndelete a\r\n"))).startsWith("END\r\n");
  }

  /** Binary requests whose lengths lie. */
  static List<byte[]> headers() {
    List<byte[]> headers = new ArrayList<>();
    long[] bodies = {0, 1, 8, 24, 1 << 20, Integer.MAX_VALUE, 1L << 31, 0xffff_ffffL};
    for (int opcode : new int[] {0, 1, 2, 5, 9, 0x0a, 0x0e, 0x1c, 0x20, 0x21, 0x7f, 0xff}) {
      for (long body : bodies) {
        for (int key : new int[] {0, 1, 251, 0xffff}) {
          for (int extras : new int[] {0, 4, 8, 20, 255}) {
            ByteBuffer header = ByteBuffer.allocate(24 + 40);
            header.put((byte) 0x80).put((byte) opcode).putShort((short) key).put((byte) extras);
            header.put((byte) 0).putShort((short) 0).putInt((int) body);
            headers.add(header.array());
          }
        }
      }
    }
    return headers;
  }

  @Test
  void binaryHeadersWhoseLengthsLie() throws IOException {
    for (byte[] header : headers()) {
      ask(header);
    }
    serves();
  }

  @Test
  void randomInputs() throws IOException {
    randomInputs(1, 100_000);
  }

  @Test
  @Tag("campaign")
  void manyRandomInputs() throws IOException {
    randomInputs(2, 2_000_000);
  }

  private static void randomInputs(long seed, int count) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < count; i += INPUTS_PER_CONNECTION) {
      ByteArrayOutputStream inputs = new ByteArrayOutputStream();
      for (int j = 0; j < INPUTS_PER_CONNECTION; j++) {
        inputs.writeBytes(randomInput(random));
      }
      ask(inputs.toByteArray());
    }
    serves();
  }

  /** A command with some bytes changed, left out or repeated; or bytes without any sense. */
  private static byte[] randomInput(SplittableRandom random) {
    byte[] bytes =
        bytes(CONVERSATION.get(random.nextInt(CONVERSATION.size()))[0].replace("flush_all", ""));
    switch (random.nextInt(8)) {
      case 0 -> {
        bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
      }
      case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      case 2 -> bytes[0] = (byte) 0x80;
      default -> {
        for (int i = random.nextInt(4); i > 0; i--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
      }
    }
    return bytes;
  }

  @Test
  void aClientThatNeverReads() throws IOException {
    String value = "v".repeat(500_000);
    assertThat(ask(bytes("set big 0 0 500000\r\n" + value + "\r\n"))).isEqualTo("STORED\r\n");
    List<SocketChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < 10; i++) {
        SocketChannel channel = connect();
        channels.add(channel);
        channel.configureBlocking(false);
        // Until nothing more is taken: the server has stopped to read.
        ByteBuffer commands = ByteBuffer.wrap(bytes("get big\r\n".repeat(10_000)));
        int refused = 0;
        while (commands.hasRemaining() && refused < 20) {
          refused = channel.write(commands) == 0 ? refused + 1 : 0;
          LockSupport.parkNanos(POLL_NANOS / 10);
        }
        serves();
      }
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
    serves();
  }

  @Test
  void connectionsOpenedAndDropped() throws IOException {
    for (int i = 0; i < 1000; i++) {
      try (SocketChannel channel = connect()) {
        if (i % 3 == 1) {
          channel.write(ByteBuffer.wrap(bytes("set dropped 0 0 100\r\nhalf of it")));
        } else if (i % 3 == 2) {
          channel.setOption(StandardSocketOptions.SO_LINGER, 0); // a reset
          channel.write(ByteBuffer.wrap(bytes("mn\r\nget dropped\r\n")));
        }
      } catch (IOException _) {
        // One connection too many at this moment.
      }
    }
    awaitAllFree();
    String reply;
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    do {
      reply = ask(bytes("get dropped\r\n")); // perhaps before the server knows that those ended
    } while (reply.startsWith("ERROR Too many open") && System.nanoTime() < deadline);
    assertThat(reply).isEqualTo("END\r\n");
  }

  /** The server has forgotten the connections: as many as are allowed can be had again. */
  private static void awaitAllFree() throws IOException {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    for (boolean isFree = false; !isFree; ) {
      isFree = true;
      List<TextConnection> connections = new ArrayList<>();
      try {
        for (int i = 0; i < MAX_CONNECTIONS && isFree; i++) {
          TextConnection connection = new TextConnection(server.port());
          connections.add(connection);
          connection.send("mn\r\n");
          isFree = connection.line().equals("MN");
        }
      } catch (IOException _) {
        isFree = false;
      } finally {
        for (TextConnection connection : connections) {
          connection.close();
        }
      }
      if (!isFree) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }
}
