package io.howdah.jmh.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** memcached as it is installed on this machine. Immutable. */
public final class Memcached {

  private static final int DEFAULT_CONNECTIONS = 1024;

  private final Path program;

  private Memcached(Path program) {
    this.program = program;
  }

  /** Finds it on the PATH. */
  public static Optional<Memcached> find() {
    return find(Optional.ofNullable(System.getenv("PATH")).orElse("/usr/bin"));
  }

  static Optional<Memcached> find(String path) {
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path program = Path.of(folder, "memcached");
      if (!folder.isEmpty() && Files.isExecutable(program)) {
        return Optional.of(new Memcached(program));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the command that starts it on the loopback interface.
   *
   * @param memoryMib limit of its items
   * @param connections that it takes at once; more than its default need the system's permission
   */
  public List<String> command(int port, int threads, long memoryMib, int connections) {
    List<String> command = command(port, threads, memoryMib);
    command.addAll(List.of("-c", Integer.toString(Math.max(connections, DEFAULT_CONNECTIONS))));
    return command;
  }

  private List<String> command(int port, int threads, long memoryMib) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    if ("root".equals(System.getProperty("user.name"))) {
      command.addAll(List.of("-u", "root")); // it refuses root unless told so
    }
    command.addAll(List.of("-l", "127.0.0.1", "-p", Integer.toString(port), "-U", "0"));
    command.addAll(List.of("-t", Integer.toString(threads), "-m", Long.toString(memoryMib)));
    // The hash table starts at its default and grows.
    return command;
  }

  /**
   * Returns the command of one that keeps its items in a file when it is stopped with {@code USR1}.
   *
   * @param memoryFile on a file system in memory
   */
  public List<String> warmCommand(int port, int threads, long memoryMib, Path memoryFile) {
    List<String> command = command(port, threads, memoryMib);
    command.addAll(List.of("-e", memoryFile.toString()));
    return command;
  }
}
