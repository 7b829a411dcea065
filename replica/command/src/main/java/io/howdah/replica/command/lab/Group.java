package io.howdah.replica.command.lab;

import io.howdah.process.AtExit;
import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Three processes of a program that {@link LineServer} runs, and the {@link Network} between them.
 * Processes are started, killed and stopped by one thread; any thread asks for their ports.
 */
final class Group implements AutoCloseable {

  static final List<String> NAMES = List.of("a", "b", "c");

  private static final int MAX_ERRORS = 50;
  private static final long START_SECONDS = 120;

  private final Path directory;
  private final Class<?> program;
  private final List<String> flags;
  private final Network network;
  private final AutoCloseable end = this::killAll;
  private final Map<String, Running> running = new LinkedHashMap<>(); // guarded by this
  private final List<String> errors = new ArrayList<>(); // guarded by this
  private int starts;

  /**
   * A process.
   *
   * @param number of the process, which no other has
   * @param port at which it answers clients, once it does
   */
  record Running(int number, Process process, CompletableFuture<Integer> port) {}

  /**
   * Prepares the group; starts nothing.
   *
   * @param directory empty
   * @param program what the processes run
   * @param dimensions further lines of the group file
   * @param flags for the JVMs of members
   */
  Group(Path directory, Class<?> program, String dimensions, List<String> flags)
      throws IOException {
    this.directory = directory;
    this.program = program;
    this.flags = List.copyOf(flags);
    List<Integer> ports = Network.freePorts(2 * NAMES.size());
    List<Network.Member> members = new ArrayList<>();
    StringBuilder text = new StringBuilder("cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11\n");
    for (int i = 0; i < NAMES.size(); i++) {
      Network.Member member =
          new Network.Member(NAMES.get(i), List.of(ports.get(2 * i), ports.get(2 * i + 1)));
      members.add(member);
      text.append(
          "peer.%s = %s:%d%n".formatted(member.name(), member.host(), member.ports().getFirst()));
      text.append(
          "http.%s = %s:%d%n".formatted(member.name(), member.host(), member.ports().getLast()));
    }
    text.append(
        """
        trusted-network = true
        secret-file = secret
        """);
    Files.writeString(groupFile(), text + dimensions);
    Path secret =
        Files.createFile(
            directory.resolve("secret"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(secret, "ofademoonloopback");
    this.network = new Network(members);
    for (String name : NAMES) {
      network.writeHosts(name, hosts(name));
    }
    AtExit.close(end);
  }

  Network network() {
    return network;
  }

  private Path groupFile() {
    return directory.resolve("group.properties");
  }

  private Path hosts(String name) {
    return directory.resolve("hosts." + name);
  }

  /** Starts the process of a member, which does not run. */
  synchronized void start(String name) throws IOException {
    List<String> all = new ArrayList<>(flags);
    all.add("-XX:+UseSerialGC");
    all.add("-XX:-UsePerfData");
    all.add("--sun-misc-unsafe-memory-access=allow");
    all.add("-Djdk.net.hosts.file=" + hosts(name));
    Process process =
        JavaCommand.of(
                all,
                program,
                List.of(name, directory.resolve(name).toString(), groupFile().toString()))
            .builder()
            .start();
    CompletableFuture<Integer> port = new CompletableFuture<>();
    starts++;
    running.put(name, new Running(starts, process, port));
    Thread.ofVirtual().start(() -> readOutput(process.inputReader(), port));
    Thread.ofVirtual().start(() -> readErrors(process.errorReader(), name));
  }

  private static void readOutput(BufferedReader output, CompletableFuture<Integer> port) {
    try (output) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith("port ")) {
          port.complete(Integer.valueOf(line.substring("port ".length())));
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  private void readErrors(BufferedReader output, String name) {
    try (output) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (!isOfProgramLog(line)) {
          synchronized (this) {
            if (errors.size() < MAX_ERRORS) {
              errors.add(name + ": " + line);
            }
          }
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  /** Returns whether a leader says that the group does not answer, as it should. */
  private static boolean isOfProgramLog(String line) {
    return line.contains("io.howdah.core.report.ProgramLog") || line.contains("replica of ");
  }

  /** Returns the process of a member that was started last. */
  synchronized Running running(String name) {
    return Objects.requireNonNull(running.get(name));
  }

  /** Waits until a member answers its clients. */
  void awaitPort(String name) throws IOException, InterruptedException {
    try {
      int _ = running(name).port().get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("member " + name + " does not start; it has said: " + errors(), e);
    }
  }

  /** Kills a process as {@code kill -9} does. */
  void kill(String name) {
    Process _ = running(name).process().destroyForcibly().onExit().join();
  }

  /** Stops a process (SIGSTOP), or lets it go on (SIGCONT). */
  void stop(String name, boolean isStopped) throws IOException, InterruptedException {
    String signal = isStopped ? "-STOP" : "-CONT";
    String pid = Long.toString(running(name).process().pid());
    int exit = new ProcessBuilder("kill", signal, pid).start().waitFor();
    if (exit != 0) {
      throw new IOException("kill " + signal + " " + pid + " ended with " + exit);
    }
  }

  /** Returns what the processes have said on their standard error. */
  synchronized List<String> errors() {
    return List.copyOf(errors);
  }

  /** Returns members that have ended by themselves. */
  List<String> ended() {
    return NAMES.stream().filter(name -> !running(name).process().isAlive()).toList();
  }

  private void killAll() {
    List<Running> all;
    synchronized (this) {
      all = List.copyOf(running.values());
    }
    all.forEach(each -> each.process().destroyForcibly());
    all.forEach(each -> each.process().onExit().join());
  }

  /** Kills the processes. */
  @Override
  public void close() throws IOException {
    killAll();
    AtExit.forget(end);
    network.close();
  }
}
