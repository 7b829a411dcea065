package io.howdah.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServerProcess;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import io.howdah.crashtest.serve.TextConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random commands of the text and the binary protocol to a memcached and to the server: the replies
 * are the same. Skipped where no memcached is installed. Lines that are no commands are left to the
 * tables: versions differ there.
 */
final class ServeDifferentialTest {

  private static final int SEQUENCES = 150;
  private static final int COMMANDS = 40;
  private static final int STARTS = 5;
  private static final long TIMEOUT_NANOS = 20_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;
  private static final String[] KEYS = {"a", "b", "num"};
  private static final String END = "mn\r\n";

  /** Numbers at the limits of what commands read, with those that all releases read alike. */
  private static final String[] LIMITS = {
    "0",
    "2592000",
    "2592001",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
  };

  /** Only where the whole of a number counts, and the line has no value behind it. */
  private static final String[] LARGE = {"9223372036854775808", "18446744073709551615"};

  private static final long[] BINARY_LIMITS = {
    0,
    1,
    2_592_000,
    2_592_001,
    Integer.MAX_VALUE,
    1L << 31,
    (1L << 32) - 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1
  };

  @TempDir Path folder;

  @Test
  void repliesAreThoseOfMemcached() throws Exception {
    int port = 0;
    Process memcached = null;
    try {
      for (int i = 0; i < STARTS && (memcached == null || !memcached.isAlive()); i++) {
        port = freePort();
        memcached = start(port);
      }
      Assumptions.assumeTrue(memcached != null, "memcached is not installed");
      try (ServerProcess server =
          Launcher.of(System.getProperty("java.class.path")).start(folder, 0)) {
        compare(port, server.port());
      }
    } finally {
      if (memcached != null) {
        memcached.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
      }
    }
  }

  private static void compare(int theirPort, int ourPort) throws IOException {
    try (TextConnection theirs = connect(theirPort);
        TextConnection ours = new TextConnection(ourPort)) {
      for (int seed = 0; seed < SEQUENCES; seed++) {
        List<String> commands = sequence(new SplittableRandom(seed));
        compare(seed, commands, ServeDifferentialTest::ask, theirs, ours);
      }
    }
    try (TextConnection theirs = connect(theirPort);
        TextConnection ours = new TextConnection(ourPort)) {
      for (int seed = 0; seed < SEQUENCES; seed++) {
        List<byte[]> requests = binarySequence(new SplittableRandom(seed));
        compare(seed, requests, ServeDifferentialTest::askBinary, theirs, ours);
      }
    }
  }

  /** Asks a server, and returns its replies. */
  @FunctionalInterface
  private interface Question<T> {
    String ask(TextConnection connection, List<T> commands) throws IOException;
  }

  private static <T> void compare(
      int seed, List<T> commands, Question<T> question, TextConnection theirs, TextConnection ours)
      throws IOException {
    if (question.ask(theirs, commands).equals(question.ask(ours, commands))) {
      return;
    }
    // Leaves out commands as long as the replies still differ.
    List<T> shortest = new ArrayList<>(commands);
    for (int i = shortest.size() - 1; i >= 0; i--) {
      T left = shortest.remove(i);
      if (question.ask(theirs, shortest).equals(question.ask(ours, shortest))) {
        shortest.add(i, left);
      }
    }
    String told =
        shortest.stream()
            .map(one -> one instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : "" + one)
            .collect(Collectors.joining(", "));
    assertThat(question.ask(ours, shortest))
        .as("seed " + seed + ": " + told)
        .isEqualTo(question.ask(theirs, shortest));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @SuppressWarnings("NullAway") // null if there is no such program
  private static Process start(int port) {
    // Its threads in the background would hold items now and then. Such an item is not changed in
    // place, and a number that becomes shorter loses the spaces behind it.
    String quiet = "no_lru_maintainer,no_lru_crawler";
    List<String> words =
        new ArrayList<>(
            List.of("memcached", "-l", "127.0.0.1", "-U", "0", "-p", "" + port, "-o", quiet));
    if ("root".equals(System.getProperty("user.name"))) {
      words.addAll(List.of("-u", "root"));
    }
    try {
      return new ProcessBuilder(words)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException _) {
      return null;
    }
  }

  private static TextConnection connect(int port) throws IOException {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (true) {
      try {
        return new TextConnection(port);
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Returns the replies to commands that begin with nothing stored. */
  private static String ask(TextConnection connection, List<String> commands) throws IOException {
    connection.send("delete a\r\ndelete b\r\ndelete num\r\n");
    for (int i = 0; i < KEYS.length; i++) {
      connection.line();
    }
    StringBuilder replies = new StringBuilder();
    // One at a time: memcached changes an item in place only if no reply that waits shows it.
    for (String command : commands) {
      connection.send(command + END);
      for (String line = connection.line(); !line.equals("MN"); line = connection.line()) {
        replies.append(line.replaceAll(" t\\d{3,}", " t#")).append('\n'); // a second may pass
      }
    }
    return replies.toString();
  }

  /** Returns the responses to requests that begin with nothing stored, a line each. */
  private static String askBinary(TextConnection connection, List<byte[]> requests)
      throws IOException {
    byte[] noop = BinaryWire.request(BinaryWire.NOOP, "", "");
    for (String key : KEYS) {
      connection.send(BinaryWire.request(BinaryWire.DELETE, key, ""));
    }
    connection.send(noop);
    List<String> _ = BinaryWire.responses(connection);
    List<String> responses = new ArrayList<>();
    for (byte[] request : requests) {
      connection.send(request);
      connection.send(noop);
      responses.addAll(BinaryWire.responses(connection));
    }
    return String.join("\n", responses);
  }

  private static List<byte[]> binarySequence(SplittableRandom random) {
    List<byte[]> requests = new ArrayList<>();
    for (int i = 0; i < COMMANDS; i++) {
      requests.add(binaryRequest(random));
    }
    return requests;
  }

  private static byte[] binaryRequest(SplittableRandom random) {
    String key = KEYS[random.nextInt(KEYS.length)];
    String value =
        random.nextBoolean()
            ? Integer.toString(random.nextInt(2000))
            : "v".repeat(random.nextInt(30));
    int flags = random.nextInt(3) == 0 ? (int) binaryLimit(random) : random.nextInt();
    int limit = (int) binaryLimit(random);
    int expiry = random.nextInt(6) == 0 && limit != 1 ? limit : 0; // within a second it may pass
    long cas = random.nextInt(6) == 0 ? 999_999_999_999L : 0;
    long delta = random.nextInt(3) == 0 ? binaryLimit(random) : random.nextInt(5000);
    long initial = random.nextInt(3) == 0 ? binaryLimit(random) : 7;
    int choice = random.nextInt(18);
    return switch (choice) {
      case 0, 1 -> BinaryWire.store(BinaryWire.SET, flags, expiry, key, value, cas);
      case 2 -> BinaryWire.store(BinaryWire.SETQ, flags, 0, key, value, cas);
      case 3 -> BinaryWire.store(BinaryWire.ADD, flags, 0, key, value, 0);
      case 4 -> BinaryWire.store(BinaryWire.REPLACE, flags, 0, key, value, cas);
      case 5 -> BinaryWire.request(BinaryWire.APPEND, key, value);
      case 6 -> BinaryWire.request(BinaryWire.PREPENDQ, key, value);
      case 7 ->
          BinaryWire.count(
              BinaryWire.INCREMENT, key, delta, initial, random.nextBoolean() ? expiry : -1);
      case 8 ->
          BinaryWire.count(
              BinaryWire.DECREMENT, key, delta, initial, random.nextBoolean() ? expiry : -1);
      case 9 -> BinaryWire.count(BinaryWire.INCREMENTQ, key, 1, 7, -1);
      case 10 -> BinaryWire.request(BinaryWire.DELETE, new byte[0], key, "", cas);
      case 11 -> BinaryWire.request(BinaryWire.DELETEQ, key, "");
      case 12 -> BinaryWire.touch(BinaryWire.TOUCH, key, expiry == 0 ? 100 : expiry);
      case 13 -> BinaryWire.touch(BinaryWire.GAT, key, expiry);
      case 14 -> BinaryWire.request(BinaryWire.GETK, key, "");
      case 15 -> BinaryWire.request(BinaryWire.GETQ, key, "");
      case 16 -> BinaryWire.request(BinaryWire.GETKQ, key, "");
      default -> BinaryWire.request(BinaryWire.GET, key, "");
    };
  }

  private static long binaryLimit(SplittableRandom random) {
    return BINARY_LIMITS[random.nextInt(BINARY_LIMITS.length)];
  }

  private static String limit(SplittableRandom random) {
    return LIMITS[random.nextInt(LIMITS.length)];
  }

  /** Returns a number that is counted with, often one at a limit. */
  private static String number(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> limit(random);
      case 1 -> LARGE[random.nextInt(LARGE.length)];
      default -> Integer.toString(random.nextInt(5000));
    };
  }

  /** Returns an expiry, mostly 0. */
  private static String expiry(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> limit(random);
      case 1 -> "-1";
      default -> "0";
    };
  }

  private static List<String> sequence(SplittableRandom random) {
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < COMMANDS; i++) {
      commands.add(command(random));
    }
    return commands;
  }

  private static String command(SplittableRandom random) {
    String key = KEYS[random.nextInt(KEYS.length)];
    String value =
        random.nextBoolean()
            ? Integer.toString(random.nextInt(2000))
            : "v".repeat(random.nextInt(30));
    String quiet = random.nextInt(5) == 0 ? " noreply" : "";
    String some = random.nextInt(4) == 0 ? limit(random) : "" + random.nextInt(100);
    String flags = " " + some + " " + expiry(random) + " ";
    String data = value.length() + quiet + "\r\n" + value + "\r\n";
    return switch (random.nextInt(17)) {
      case 0, 1 -> "set " + key + flags + data;
      case 2 -> "add " + key + flags + data;
      case 3 -> "replace " + key + flags + data;
      case 4 -> "append " + key + flags + data;
      case 5 -> "prepend " + key + flags + data;
      case 6 ->
          "cas " + key + flags + value.length() + " " + limit(random) + "\r\n" + value + "\r\n";
      case 7 -> "incr " + key + " " + number(random) + quiet + "\r\n";
      case 8 -> "decr " + key + " " + number(random) + quiet + "\r\n";
      case 9 -> "delete " + key + quiet + "\r\n";
      case 10 -> "touch " + key + " " + expiry(random) + quiet + "\r\n";
      case 11 -> "gat 0 " + key + " a\r\n";
      case 12 ->
          "mg "
              + key
              + pick(random, " v", " k", " f", " s", " t", " q", " R" + limit(random))
              + "\r\n";
      case 13 ->
          "ms "
              + key
              + " "
              + value.length()
              + pick(random, " F" + limit(random), " k", " T" + expiry(random), " q", " MA", " ME")
              + "\r\n"
              + value
              + "\r\n";
      case 14 -> "md " + key + pick(random, " k", " q", " Oop", " C" + limit(random)) + "\r\n";
      case 15 -> "ma " + key + pick(random, " v", " k", " D" + number(random), " MD") + "\r\n";
      default -> "get " + String.join(" ", KEYS) + "\r\n";
    };
  }

  private static String pick(SplittableRandom random, String... flags) {
    StringBuilder some = new StringBuilder();
    boolean hasMode = false;
    for (String flag : flags) {
      boolean isMode = flag.startsWith(" M");
      if (random.nextInt(3) == 0 && !(isMode && hasMode)) {
        some.append(flag);
        hasMode |= isMode;
      }
    }
    return some.toString();
  }
}
