package io.howdah.lab.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.crashtest.serve.ServerProcess;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import io.howdah.crashtest.serve.TextConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts after stops and kills, with the same limits and with others. */
@Tag("scaled")
final class ServeRestartTest {

  /** Of the restarts of one kind, one in so many is made; campaigns make all. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 3);

  private static final Launcher LAUNCHER = Launcher.of(System.getProperty("java.class.path"));
  private static final int VALUE_BYTES = 10_000;
  private static final long TIMEOUT_NANOS = 20_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;

  @TempDir Path folder;

  private static void expect(TextConnection connection, String command, String... replies)
      throws IOException {
    connection.send(command);
    for (String reply : replies) {
      assertThat(connection.line()).as(command).isEqualTo(reply);
    }
  }

  private static String set(String key, String value) {
    return "set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private static String value(int i) {
    return String.valueOf((char) ('a' + i % 26)).repeat(VALUE_BYTES);
  }

  private static void fill(TextConnection connection, int items) throws IOException {
    for (int i = 0; i < items; i++) {
      expect(connection, set("k" + i, value(i)), "STORED");
    }
  }

  /** Returns which items are there; each has to be whole. */
  private static List<Integer> present(TextConnection connection, int items) throws IOException {
    List<Integer> present = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      connection.send("get k" + i + "\r\n");
      String line = connection.line();
      if (!line.equals("END")) {
        assertThat(line).isEqualTo("VALUE k" + i + " 0 " + VALUE_BYTES);
        assertThat(new String(connection.bytes(VALUE_BYTES), US_ASCII)).isEqualTo(value(i));
        assertThat(connection.line()).isEmpty();
        assertThat(connection.line()).isEqualTo("END");
        present.add(i);
      }
    }
    return present;
  }

  private static Map<String, String> statistics(TextConnection connection) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    connection.send("stats\r\n");
    for (String line = connection.line(); !line.equals("END"); line = connection.line()) {
      String[] words = line.split(" ", 3);
      rows.put(words[1], words[2]);
    }
    return rows;
  }

  @Test
  void restartsWithinOneSecondKeepTheItems() throws Exception {
    for (int i = 0; i < 3; i++) {
      try (ServerProcess server = LAUNCHER.start(folder, 0);
          TextConnection connection = new TextConnection(server.port())) {
        if (i > 0) {
          expect(connection, "get a\r\n", "VALUE a 0 1", "" + (i - 1), "END");
          assertThat(statistics(connection))
              .containsEntry("howdah_last_stop", i == 1 ? "kill" : "clean");
        }
        expect(connection, set("a", "" + i), "STORED");
        if (i % 2 == 0) {
          server.kill();
        } else {
          assertThat(server.stop()).as(server::output).isIn(0, 143);
        }
      }
    }
  }

  /** A store stops for good when its rings vanish; a server without one can only end. */
  @Test
  void aServerWhoseStoreHasStoppedEndsAndSaysWhy() throws Exception {
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      expect(connection, set("a", "x"), "STORED");
      List<Path> rings = rings(server);
      assumeTrue(!rings.isEmpty(), "rings are not in /dev/shm");
      for (Path ring : rings) {
        Files.delete(ring);
      }
      assertThat(server.awaitEnd()).as(server::output).isEqualTo(1);
      assertThat(server.output())
          .contains("the store has stopped, so the server ends")
          .contains("were removed or replaced");
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      expect(connection, "get a\r\n", "VALUE a 0 1", "x", "END");
      assertThat(statistics(connection)).containsEntry("howdah_last_stop", "power_cut");
    }
  }

  /** Returns the files of a server's rings, which the system lists among what it has mapped. */
  private static List<Path> rings(ServerProcess server) throws IOException {
    try (Stream<String> maps = Files.lines(Path.of("/proc/" + server.pid() + "/maps"))) {
      return maps.filter(line -> line.contains("/dev/shm/howdah-"))
          .map(line -> Path.of(line.substring(line.indexOf('/'))))
          .distinct()
          .toList();
    }
  }

  @Test
  void otherLimitsKeepWhatFits() throws Exception {
    int items = 600; // about 6 MB
    try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "16", "-c", "100");
        TextConnection connection = new TextConnection(server.port())) {
      fill(connection, items);
      expect(connection, set("large", "x".repeat(500_000)), "STORED");
      server.kill();
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "32", "-I", "102400", "-c", "2");
        TextConnection connection = new TextConnection(server.port())) {
      assertThat(present(connection, items)).hasSize(items);
      // A larger item than may be stored now is still served.
      connection.send("get large\r\n");
      assertThat(connection.line()).isEqualTo("VALUE large 0 500000");
      assertThat(new String(connection.bytes(500_000), US_ASCII)).isEqualTo("x".repeat(500_000));
      assertThat(connection.line()).isEmpty();
      assertThat(connection.line()).isEqualTo("END");
      expect(
          connection, set("other", "x".repeat(500_000)), "SERVER_ERROR object too large for cache");
      server.kill();
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "3");
        TextConnection connection = new TextConnection(server.port())) {
      // The limit holds as soon as commands have made the server look.
      for (int i = 0; i < 300; i++) {
        expect(connection, set("new", value(i)), "STORED");
      }
      assertThat(Long.parseLong(statistics(connection).get("bytes"))).isLessThan(3 << 20);
      assertThat(present(connection, items)).isNotEmpty().hasSizeLessThan(310);
      server.kill();
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "64");
        TextConnection connection = new TextConnection(server.port())) {
      fill(connection, items);
      assertThat(present(connection, items)).hasSize(items);
    }
  }

  @Test
  void aFullServerOpensAgainAtItsLimit() throws Exception {
    int items = 1000; // more than fits
    List<Integer> before;
    try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "4");
        TextConnection connection = new TextConnection(server.port())) {
      fill(connection, items);
      before = present(connection, items);
      assertThat(before).hasSizeBetween(100, 420);
      server.kill();
    }
    for (int i = 0; i < 2; i += STRIDE) {
      try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "4");
          TextConnection connection = new TextConnection(server.port())) {
        assertThat(present(connection, items)).isEqualTo(before);
        assertThat(server.stop()).as(server::output).isIn(0, 143);
      }
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0, "-m", "4", "-M");
        TextConnection connection = new TextConnection(server.port())) {
      assertThat(present(connection, items)).isEqualTo(before);
      expect(
          connection, set("big", "x".repeat(900_000)), "SERVER_ERROR out of memory storing object");
      expect(connection, "delete k" + before.getFirst() + "\r\n", "DELETED");
    }
  }

  @Test
  void aFlushSurvivesAKillAndSoDoesOneThatIsToCome() throws Exception {
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      expect(connection, set("old", "x"), "STORED");
      expect(connection, "flush_all\r\n", "OK");
      expect(connection, set("new", "x"), "STORED");
      expect(connection, "flush_all 2\r\n", "OK");
      expect(connection, "get old\r\n", "END");
      server.kill();
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      expect(connection, "get old\r\n", "END");
      long deadline = System.nanoTime() + TIMEOUT_NANOS;
      connection.send("mg new\r\n");
      while (!connection.line().equals("EN")) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        LockSupport.parkNanos(POLL_NANOS);
        connection.send("mg new\r\n");
      }
      expect(connection, set("newest", "x"), "STORED");
      server.kill();
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      expect(connection, "get old new newest\r\n", "VALUE newest 0 1", "x", "END");
    }
  }

  @Test
  void killsWhileAServerOpensLoseNothing() throws Exception {
    int items = 300;
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      fill(connection, items);
      expect(connection, "delete k0\r\n", "DELETED");
      server.kill();
    }
    long opening = System.nanoTime();
    try (ServerProcess server = LAUNCHER.start(folder, 0)) {
      opening = System.nanoTime() - opening;
      server.kill();
    }
    for (int part = 7; part >= 5; part -= STRIDE) { // the store is opened near the end of a start
      LAUNCHER.killWhileOpening(folder, opening * part / 8);
    }
    try (ServerProcess server = LAUNCHER.start(folder, 0);
        TextConnection connection = new TextConnection(server.port())) {
      assertThat(present(connection, items)).hasSize(items - 1).doesNotContain(0);
    }
  }
}
