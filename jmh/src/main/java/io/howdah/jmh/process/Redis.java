package io.howdah.jmh.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Redis as it is installed on this machine. Immutable. */
public final class Redis {

  private final Path program;

  private Redis(Path program) {
    this.program = program;
  }

  /** What Redis keeps, and when. */
  public enum Persistence {
    /** A log, forced every second. */
    EVERYSEC,
    /** A log, forced before the replies. */
    ALWAYS,
    /** Snapshots at the default intervals, and at a stop. */
    RDB
  }

  private static List<String> options(Persistence persistence) {
    return switch (persistence) {
      case EVERYSEC -> List.of("--appendonly", "yes", "--appendfsync", "everysec", "--save", "");
      case ALWAYS -> List.of("--appendonly", "yes", "--appendfsync", "always", "--save", "");
      case RDB -> List.of("--appendonly", "no", "--save", "3600 1 300 100 60 10000");
    };
  }

  /** Finds it on the PATH. */
  public static Optional<Redis> find() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/bin");
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path program = Path.of(folder, "redis-server");
      if (!folder.isEmpty() && Files.isExecutable(program)) {
        return Optional.of(new Redis(program));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the command that starts it on the loopback interface, without a file of options.
   *
   * @param folder where it keeps its files
   */
  public List<String> command(int port, Path folder, Persistence persistence) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of("--bind", "127.0.0.1", "--port", Integer.toString(port)));
    command.addAll(List.of("--dir", folder.toString(), "--daemonize", "no"));
    command.addAll(options(persistence));
    return command;
  }
}
