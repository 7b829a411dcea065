package io.howdah.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code howdah serve} as an operator starts it: a real process, its messages and its end. */
final class ServeCommandTest {

  private static final String HIT = "VALUE a 0 1\r\nx\r\nEND\r\n";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void aSignalStopsItAndTheNextStartHasTheItems(String signal) throws Exception {
    stopAndStart(signal);
  }

  @Tag("campaign")
  @Test
  void signalUsr1StopsItAndTheNextStartHasTheItems() throws Exception {
    stopAndStart("USR1");
  }

  private void stopAndStart(String signal) throws Exception {
    assumeFalse(
        signal.equals("INT") && isInterruptIgnored(),
        "SIGINT is ignored here, and so by each process that is started: as behind & in a script");
    Path store = folder.resolve("made/by/it");
    Path pidFile = folder.resolve("pid");
    try (ServeProcess server =
        ServeProcess.start(store.toString(), "-p0", "-P", pidFile.toString())) {
      assertThat(server.awaitReady())
          .hasSize(3)
          .first()
          .asString()
          .startsWith("howdah: store " + store + ": 0 items, opened in ");
      assertThat(Files.readString(pidFile)).isEqualTo(server.process().pid() + "\n");
      assertThat(server.ask("set a 0 0 1\r\nx\r\n", 8)).isEqualTo("STORED\r\n");
      server.signal(signal);
      assertThat(server.awaitExit()).isZero();
      assertThat(server.errors()).isEmpty();
      assertThat(pidFile).doesNotExist();
    }
    try (ServeProcess server =
        ServeProcess.start(store.toString(), "-p", "0", "-m", "128", "-I", "2m", "-c", "10")) {
      assertThat(server.awaitReady().getFirst()).contains(": 1 items, opened in ");
      assertThat(server.ask("get a\r\n", HIT.length())).isEqualTo(HIT);
    }
  }

  private static boolean isInterruptIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("SigIgn:"))
          .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }
  }

  @Test
  void aKilledServerHasTheItems() throws Exception {
    try (ServeProcess server = ServeProcess.start(folder.toString(), "-p0", "-m", "1g")) {
      assertThat(server.ask("set a 0 0 1\r\nx\r\n", 8)).isEqualTo("STORED\r\n");
    }
    try (ServeProcess server = ServeProcess.start(folder.toString(), "-p0", "-m", "1")) {
      assertThat(server.ask("get a\r\n", HIT.length())).isEqualTo(HIT);
    }
  }

  @Test
  void aClientChangesWhatIsLogged() throws Exception {
    try (ServeProcess server = ServeProcess.start(folder.toString(), "-p0")) {
      assertThat(server.ask("mn\r\n", 4)).isEqualTo("MN\r\n");
      assertThat(server.ask("verbosity 2\r\n", 4)).isEqualTo("OK\r\n");
      assertThat(server.ask("verbosity 2\r\n", 4)).isEqualTo("OK\r\n");
      server.signal("TERM");
      assertThat(server.awaitExit()).isZero();
      assertThat(server.errors())
          .contains("connection 3 opened: tcp:127.0.0.1:")
          .doesNotContain("connection 1 opened");
    }
  }

  @Test
  void aPortThatIsTakenIsNamedAndNoStoreIsMade() throws Exception {
    Path store = folder.resolve("new");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServeProcess server =
            ServeProcess.start(store.toString(), "-p", Integer.toString(taken.getLocalPort()))) {
      assertThat(server.awaitExit()).isOne();
      assertThat(server.errors())
          .isEqualTo(
              "howdah: cannot listen at 127.0.0.1:"
                  + taken.getLocalPort()
                  + ": another program listens there\n");
    }
    assertThat(store).doesNotExist();
  }

  @Test
  void aStoreThatIsOpenElsewhereIsRefusedWithItsOwner() throws Exception {
    Path store = folder.resolve("deep").resolve("store");
    try (ServeProcess first = ServeProcess.start(store.toString(), "-p0")) {
      first.awaitReady();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(store)))
          .as("of a folder that the server made")
          .isEqualTo("rwx------");
      try (ServeProcess second = ServeProcess.start(store.toString(), "-p0")) {
        assertThat(second.awaitExit()).isOne();
        assertThat(second.errors())
            .startsWith("howdah: store ")
            .contains(Long.toString(first.process().pid()))
            .hasLineCount(1);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          -s | cannot listen at FILE: there is no directory for it
          -P | cannot write the pid file FILE: there is no directory for it
          -Y | cannot read the authentication file FILE: there is no such file
          """)
  void aFileThatCannotBeUsedIsNamedWithTheReason(String option, String message) throws Exception {
    String file = folder.resolve("none").resolve("f").toString();
    try (ServeProcess server =
        ServeProcess.start(folder.resolve("store").toString(), "-p0", option, file)) {
      assertThat(server.awaitExit()).isOne();
      assertThat(server.errors()).isEqualTo("howdah: " + message.replace("FILE", file) + "\n");
    }
    assertThat(folder.resolve("store")).doesNotExist();
  }

  @Test
  void aTakenPortForMetricsIsNamedBeforeAStoreIsMade() throws IOException, InterruptedException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      try (ServeProcess server =
          ServeProcess.start(folder.resolve("store").toString(), "-p0", "--metrics-port", port)) {
        assertThat(server.awaitExit()).isOne();
        assertThat(server.errors())
            .startsWith("howdah: cannot listen at port " + port + " for metrics: ")
            .hasLineCount(1);
      }
    }
    assertThat(folder.resolve("store")).doesNotExist();
  }

  @Test
  void metricsAreServedAtTheirPort() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    URI metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
    try (ServeProcess server =
            ServeProcess.start(folder.toString(), "-p0", "--metrics-port", Integer.toString(port));
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(server.awaitReady()).contains("howdah: metrics at " + metrics);
      HttpResponse<String> reply =
          client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
      assertThat(reply.body()).contains("\nhowdah_server_curr_items 0\n");
    }
  }

  @Test
  void aFileInPlaceOfTheStoreIsNamed() throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve("file"), "");
    try (ServeProcess server = ServeProcess.start(file.toString(), "-p0")) {
      assertThat(server.awaitExit()).isOne();
      assertThat(server.errors())
          .isEqualTo("howdah: " + file + " is a file; a store is a directory: name another path\n");
    }
  }
}
