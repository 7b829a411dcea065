package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes on the loopback interface, over Ratis. The leader is killed, again and again. */
class RatisProcessesTest {

  private static final int KILLS = Integer.getInteger("howdah.kills", 3);
  private static final int ACKS = 50;

  @TempDir private Path directory;

  private final Map<String, String> peers = new LinkedHashMap<>();
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
  private final List<String> errors = new ArrayList<>();

  /** What a node has said. */
  private record Line(String node, String text) {}

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (Process process : processes.values()) {
      process.destroyForcibly().waitFor();
    }
  }

  private void start(String name) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            RatisNodeMain.class.getName(),
            name,
            directory.resolve(name).toString()));
    peers.forEach((peer, address) -> command.add(peer + "=" + address));
    Process process = new ProcessBuilder(command).start();
    processes.put(name, process);
    Thread.ofPlatform().daemon().start(() -> read(process.inputReader(), name, true));
    Thread.ofPlatform().daemon().start(() -> read(process.errorReader(), name, false));
  }

  private Process process(String name) {
    return Objects.requireNonNull(processes.get(name));
  }

  private void read(BufferedReader reader, String node, boolean isOutput) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (isOutput) {
          lines.add(new Line(node, line));
        } else {
          synchronized (errors) {
            errors.add(node + ": " + line);
          }
        }
      }
    } catch (IOException e) {
      if (process(node).isAlive()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Waits for acknowledgements of any node but one; returns the node, and the last value. */
  private Line awaitAcks(int count, String butOf, long above) throws InterruptedException {
    long last = above;
    for (int found = 0; ; ) {
      Line line = lines.poll(60, TimeUnit.SECONDS);
      if (line == null) {
        throw new AssertionError("nobody commits; the errors: " + errors);
      }
      if (line.text().startsWith("ack ")) {
        long value = Long.parseLong(line.text().substring(4));
        assertThat(value).as("nothing acknowledged is lost").isGreaterThan(last);
        last = value;
        found += line.node().equals(butOf) ? 0 : 1;
        if (found >= count) {
          return line;
        }
      }
    }
  }

  @Test
  @Timeout(300)
  void nothingAcknowledgedIsLostWhenLeadersAreKilled() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        peers.put(name, "127.0.0.1:" + free.getLocalPort());
      }
    }
    for (String name : peers.keySet()) {
      start(name);
    }
    Line last = awaitAcks(ACKS, "", 0);
    for (int kill = 1; kill <= KILLS; kill++) {
      String leader = last.node();
      process(leader).destroyForcibly().waitFor();
      long value = Long.parseLong(last.text().substring(4));
      last = awaitAcks(ACKS, leader, value);
      start(leader);
    }
    synchronized (errors) {
      assertThat(errors).as("nothing on stderr").isEmpty();
    }
  }
}
