package io.howdah.replica.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

/**
 * Three processes of {@link CounterMember} on the loopback interface. The leader is killed, or
 * stands still for a time, again and again. Each value that was acknowledged is one that no other
 * was, so none was lost; and what a process reads does not go back. Used by one thread.
 */
final class GroupDemo implements AutoCloseable {

  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final int ACKS = 50;
  private static final Duration SILENCE = Duration.ofMinutes(2);

  private final Path directory;
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
  private final List<String> errors = new ArrayList<>(); // guarded by itself
  private final Set<Long> acknowledged = new HashSet<>();
  private final Map<Process, Long> read = new HashMap<>();
  private final Map<Process, Long> acks = new HashMap<>();
  private final List<Long> failOverNanos = new ArrayList<>();
  private long reads;
  private int kills;
  private int pauses;
  private Line last;

  /** What was promised and did not hold. */
  static final class Violation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Violation(String message) {
      super(message);
    }
  }

  /** What a node has said. */
  private record Line(String node, @Nullable Process process, String text) {

    boolean is(String what) {
      return text.startsWith(what + " ");
    }

    long value() {
      return Long.parseLong(text.substring(text.indexOf(' ') + 1));
    }
  }

  /**
   * Figures of a run.
   *
   * @param failOverNanos from each kill or stop to the first acknowledgement of another leader,
   *     ascending
   */
  record Figures(int kills, int pauses, int acknowledged, long reads, List<Long> failOverNanos) {

    @Override
    public String toString() {
      return """
          kills %d  pauses %d  acknowledged %,d  lost 0  reads of followers %,d, back 0
          fail-over p50 %.1f s  max %.1f s"""
          .formatted(
              kills,
              pauses,
              acknowledged,
              reads,
              failOverNanos.get(failOverNanos.size() / 2) / 1e9,
              failOverNanos.getLast() / 1e9);
    }
  }

  /**
   * Starts three processes.
   *
   * @param directory empty
   */
  GroupDemo(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    this.last = new Line("", null, "ack 0");
    StringBuilder text = new StringBuilder("cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11\n");
    for (String name : MEMBERS) {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        text.append("peer.%s = 127.0.0.1:%d%n".formatted(name, free.getLocalPort()));
      }
    }
    Files.writeString(group(), text + "max-size = 1048576\npartitions = 2\n");
    try {
      for (String name : MEMBERS) {
        start(name);
      }
      last = awaitAcks(ACKS, "", 0);
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  private Path group() {
    return directory.resolve("group.properties");
  }

  private void start(String name) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                CounterMember.class.getName(),
                name,
                directory.resolve(name).toString(),
                group().toString())
            .start();
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

  /** Returns whether a leader says that the group does not answer, as after a pause it may. */
  private static boolean isOfProgramLog(String line) {
    return line.contains("io.howdah.core.report.ProgramLog") || line.contains("replica of ");
  }

  /** Takes the next line, and judges what it says was read. */
  private Line next() throws InterruptedException {
    Line line = lines.poll(SILENCE.toSeconds(), TimeUnit.SECONDS);
    if (line == null) {
      throw new Violation("no member commits for " + SILENCE + "; the errors: " + errors());
    }
    Process process = line.process();
    if (process != null && line.is("read")) {
      requireAbove(line, read.put(process, line.value()));
      reads++;
    }
    if (process != null && line.is("ack")) {
      requireAbove(line, acks.put(process, line.value()));
      if (!acknowledged.add(line.value())) {
        throw new Violation(
            line.node() + " acknowledges " + line.value() + " again: the first one is lost");
      }
    }
    return line;
  }

  private static void requireAbove(Line line, @Nullable Long before) {
    if (line.value() <= orZero(before)) {
      throw new Violation(line.node() + " says " + line.text() + " after " + before);
    }
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }

  /**
   * Waits for acknowledgements of any node but one.
   *
   * @param above what was acknowledged before, above which each of these must be
   * @return the last one
   */
  private Line awaitAcks(int count, String butOf, long above) throws InterruptedException {
    for (int found = 0; ; ) {
      Line line = next();
      if (line.is("ack")) {
        if (!line.node().equals(butOf)) {
          if (line.value() <= above) {
            throw new Violation(
                line.node()
                    + " acknowledges "
                    + line.value()
                    + " after "
                    + above
                    + ", which is lost");
          }
          found++;
          if (found >= count) {
            return line;
          }
        }
      }
    }
  }

  /**
   * Waits until a node follows, or leads, which has been away. Before that the others have no
   * majority without their leader, and the next fail-over would take as long as this node takes to
   * start.
   */
  private void awaitFollower(String node) throws InterruptedException {
    long least = last.value();
    Process process = process(node);
    while (orZero(read.get(process)) < least && orZero(acks.get(process)) <= least) {
      Line line = next();
      // What the node has committed before it stood still, it may say now.
      if (line.is("ack") && line.value() > last.value()) {
        last = line;
      }
    }
  }

  /** Kills the leader, waits for another one, and starts the process again. */
  void kill() throws IOException, InterruptedException {
    String leader = last.node();
    long began = System.nanoTime();
    process(leader).destroyForcibly().waitFor();
    awaitOther(leader, began);
    kills++;
    start(leader);
    awaitFollower(leader);
  }

  /** Stops the leader's process (SIGSTOP), waits for another one, and lets it go on. */
  void pause() throws IOException, InterruptedException {
    String leader = last.node();
    Process process = process(leader);
    long began = System.nanoTime();
    signal("-STOP", process);
    awaitOther(leader, began);
    pauses++;
    signal("-CONT", process);
    awaitFollower(leader);
  }

  private void awaitOther(String leader, long began) throws InterruptedException {
    // Values that it has said before are still to be read.
    last = awaitAcks(1, leader, last.value());
    failOverNanos.add(System.nanoTime() - began);
    last = awaitAcks(ACKS, leader, last.value());
  }

  private static void signal(String signal, Process process)
      throws IOException, InterruptedException {
    int exit = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    if (exit != 0) {
      throw new IOException("kill " + signal + " " + process.pid() + " ended with " + exit);
    }
  }

  /** Returns what the processes have said on their standard error. */
  List<String> errors() {
    synchronized (errors) {
      return List.copyOf(errors);
    }
  }

  Figures figures() {
    return new Figures(
        kills, pauses, acknowledged.size(), reads, failOverNanos.stream().sorted().toList());
  }

  /** Kills the processes. */
  @Override
  public void close() {
    for (Process process : processes.values()) {
      Process _ = process.destroyForcibly().onExit().join();
    }
  }
}
