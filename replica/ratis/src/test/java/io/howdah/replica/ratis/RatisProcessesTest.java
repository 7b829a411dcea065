package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes on the loopback interface, over Ratis. The leader is killed, or stands still for
 * a time, again and again. Each value that was acknowledged is one that no other was, so none was
 * lost; and what a member reads does not go back.
 */
class RatisProcessesTest {

  private static final int ROUNDS = Integer.getInteger("howdah.kills", 3);

  /** Of so many rounds, one is a pause. */
  private static final int PAUSE_EVERY = 3;

  private static final int ACKS = 50;

  @TempDir private Path directory;

  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
  private final List<String> errors = new ArrayList<>();
  private final Set<Long> acknowledged = new HashSet<>();
  private final Map<Process, Long> read = new HashMap<>();
  private long reads;

  /** What a node has said. */
  private record Line(String node, Process process, String text) {

    boolean is(String what) {
      return text.startsWith(what + " ");
    }

    long value() {
      return Long.parseLong(text.substring(text.indexOf(' ') + 1));
    }
  }

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (Process process : processes.values()) {
      process.destroyForcibly().waitFor();
    }
  }

  private Path group() {
    return directory.resolve("group.properties");
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
            directory.resolve(name).toString(),
            group().toString()));
    Process process = new ProcessBuilder(command).start();
    processes.put(name, process);
    Thread.ofPlatform().daemon().start(() -> read(process.inputReader(), name, process, true));
    Thread.ofPlatform().daemon().start(() -> read(process.errorReader(), name, process, false));
  }

  private Process process(String name) {
    return Objects.requireNonNull(processes.get(name));
  }

  private void read(BufferedReader reader, String node, Process process, boolean isOutput) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (isOutput) {
          lines.add(new Line(node, process, line));
        } else if (!isOfProgramLog(line)) {
          synchronized (errors) {
            errors.add(node + ": " + line);
          }
        }
      }
    } catch (IOException e) {
      if (process.isAlive()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Takes the next line, and judges what it says was read. */
  private Line next() throws InterruptedException {
    Line line = lines.poll(60, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError("nobody commits; the errors: " + errors);
    }
    if (line.is("read")) {
      Long before = read.put(line.process(), line.value());
      assertThat(line.value()).as("what %s reads", line.node()).isGreaterThan(orZero(before));
      reads++;
    }
    return line;
  }

  /**
   * Waits until a node follows, or leads, which has been away. Before that the others have no majority without
   * their leader, and the next fail-over would take as long as this node takes to start.
   *
   * @param above what was acknowledged when it came back
   * @return the last acknowledgement
   */
  private Line awaitFollower(String node, Line above) throws InterruptedException {
    Line last = above;
    while (orZero(read.get(process(node))) < above.value() && !last.node().equals(node)) {
      last = awaitAcks(1, "", last.value());
    }
    return last;
  }

  /**
   * Waits for acknowledgements of any node but one.
   *
   * @param above what was acknowledged before, above which each of these must be
   * @return the node, and the last value
   */
  private Line awaitAcks(int count, String butOf, long above) throws InterruptedException {
    for (int found = 0; ; ) {
      Line line = next();
      if (line.is("ack")) {
        assertThat(acknowledged.add(line.value()))
            .as(
                "%d of %s is acknowledged once, or the first one was lost",
                line.value(), line.node())
            .isTrue();
        if (!line.node().equals(butOf)) {
          assertThat(line.value()).as("nothing acknowledged is lost").isGreaterThan(above);
          found++;
          if (found >= count) {
            return line;
          }
        }
      }
    }
  }

  /** Returns whether a leader says that the group does not answer, as after a pause it may. */
  private static boolean isOfProgramLog(String line) {
    return line.contains("io.howdah.core.report.ProgramLog") || line.contains("replica of ");
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }

  @Test
  @Timeout(3600)
  void nothingAcknowledgedIsLostWhenLeadersAreKilledOrStandStill() throws Exception {
    StringBuilder text = new StringBuilder("cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11\n");
    for (String name : List.of("a", "b", "c")) {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        text.append("peer.%s = 127.0.0.1:%d\n".formatted(name, free.getLocalPort()));
      }
    }
    Files.writeString(group(), text + "max-size = 1048576\npartitions = 2\n");
    for (String name : List.of("a", "b", "c")) {
      start(name);
    }
    Line last = awaitAcks(ACKS, "", 0);
    int pauses = 0;
    List<Long> failOvers = new ArrayList<>();
    for (int round = 1; round <= ROUNDS; round++) {
      String leader = last.node();
      Process process = process(leader);
      long began = System.nanoTime();
      if (round % PAUSE_EVERY == 0) {
        pauses++;
        signal("-STOP", process);
        // Values that it has said before are still to be read.
        last = awaitAcks(1, leader, last.value());
        failOvers.add(System.nanoTime() - began);
        last = awaitAcks(ACKS, leader, last.value());
        signal("-CONT", process);
      } else {
        process.destroyForcibly().waitFor();
        last = awaitAcks(1, leader, last.value());
        failOvers.add(System.nanoTime() - began);
        last = awaitAcks(ACKS, leader, last.value());
        start(leader);
      }
      last = awaitFollower(leader, last);
    }
    synchronized (errors) {
      assertThat(errors).as("nothing on stderr").isEmpty();
    }
    assertThat(reads).as("members that follow are read").isPositive();
    if (Boolean.getBoolean("howdah.tell")) {
      failOvers.sort(null);
      System.out.printf(
          "kills %d  pauses %d  acknowledged %d  lost 0  reads of followers %d, back 0%n"
              + "fail-over p50 %.1f s  max %.1f s%n",
          ROUNDS - pauses,
          pauses,
          acknowledged.size(),
          reads,
          failOvers.get(failOvers.size() / 2) / 1e9,
          failOvers.getLast() / 1e9);
    }
  }

  private static void signal(String signal, Process process) throws Exception {
    int exit = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    assertThat(exit).isZero();
  }
}
