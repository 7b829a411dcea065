package io.howdah.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServerProcess;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import io.howdah.crashtest.serve.TextConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random commands to a memcached and to the server: the replies are the same. Skipped where no
 * memcached is installed. Lines that are no commands are left to the tables: versions differ there.
 */
final class ServeDifferentialTest {

  private static final int SEQUENCES = 150;
  private static final int COMMANDS = 40;
  private static final int STARTS = 5;
  private static final long TIMEOUT_NANOS = 20_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;
  private static final String[] KEYS = {"a", "b", "num"};
  private static final String END = "mn\r\n";

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
      try (TextConnection theirs = connect(port);
          ServerProcess server =
              Launcher.of(System.getProperty("java.class.path")).start(folder, 0);
          TextConnection ours = new TextConnection(server.port())) {
        for (int seed = 0; seed < SEQUENCES; seed++) {
          List<String> commands = sequence(new SplittableRandom(seed));
          if (!ask(theirs, commands).equals(ask(ours, commands))) {
            List<String> shortest = shrink(theirs, ours, commands);
            assertThat(ask(ours, shortest))
                .as("seed " + seed + ": " + shortest)
                .isEqualTo(ask(theirs, shortest));
          }
        }
      }
    } finally {
      if (memcached != null) {
        memcached.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @SuppressWarnings("NullAway") // null if there is no such program
  private static Process start(int port) {
    List<String> words =
        new ArrayList<>(List.of("memcached", "-l", "127.0.0.1", "-U", "0", "-p", "" + port));
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
        replies.append(line).append('\n');
      }
    }
    return replies.toString();
  }

  /** Leaves out commands as long as the replies still differ. */
  private static List<String> shrink(
      TextConnection theirs, TextConnection ours, List<String> commands) throws IOException {
    List<String> shortest = new ArrayList<>(commands);
    for (int i = shortest.size() - 1; i >= 0; i--) {
      String left = shortest.remove(i);
      if (ask(theirs, shortest).equals(ask(ours, shortest))) {
        shortest.add(i, left);
      }
    }
    return shortest;
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
    String flags = " " + random.nextInt(100) + " " + (random.nextInt(6) == 0 ? -1 : 0) + " ";
    String data = value.length() + quiet + "\r\n" + value + "\r\n";
    return switch (random.nextInt(16)) {
      case 0, 1 -> "set " + key + flags + data;
      case 2 -> "add " + key + flags + data;
      case 3 -> "replace " + key + flags + data;
      case 4 -> "append " + key + flags + data;
      case 5 -> "prepend " + key + flags + data;
      case 6 -> "cas " + key + " 0 0 " + value.length() + " 1\r\n" + value + "\r\n";
      case 7 -> "incr " + key + " " + random.nextInt(5000) + quiet + "\r\n";
      case 8 -> "decr " + key + " " + random.nextInt(5000) + quiet + "\r\n";
      case 9 -> "delete " + key + quiet + "\r\n";
      case 10 -> "touch " + key + " " + (random.nextInt(4) == 0 ? -1 : 0) + quiet + "\r\n";
      case 11 -> "gat 0 " + key + " a\r\n";
      case 12 -> "mg " + key + pick(random, " v", " k", " f", " s", " t", " q", " Oop") + "\r\n";
      case 13 ->
          "ms "
              + key
              + " "
              + value.length()
              + pick(random, " F7", " k", " T0", " q", " MA", " ME")
              + "\r\n"
              + value
              + "\r\n";
      case 14 -> "md " + key + pick(random, " k", " q", " Oop") + "\r\n";
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
