package io.howdah.lab.bench;

import io.howdah.jmh.process.Memcached;
import io.howdah.jmh.process.Redis;
import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.ycsb.Protocol;
import io.howdah.process.JavaCommand;
import io.howdah.server.net.Server;
import io.howdah.server.net.ServerOptions;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The servers that {@code bench ycsb} starts, each as a process of its own. */
final class YcsbServers {

  static final String HOWDAH = "howdah";
  static final String MEMCACHED = "memcached";
  static final String REDIS = "redis";
  private static final int MAX_CONNECTIONS = 20_000;
  private static final String CACHE_OPTION = "-XX:AOTCache=";

  private final long memoryMib;
  private final List<String> jvmFlags;
  private final Class<?> mainClass;

  /**
   * Describes them.
   *
   * @param memoryMib limit of the items of each
   * @param jvmFlags for Howdah's JVM
   * @param mainClass starts the whole command
   */
  YcsbServers(long memoryMib, List<String> jvmFlags, Class<?> mainClass) {
    this.memoryMib = memoryMib;
    this.jvmFlags = List.copyOf(jvmFlags);
    this.mainClass = mainClass;
  }

  /** Returns memcached, for so many connections. */
  ServerSubject memcached(Memcached installed, int connections) {
    return new ServerSubject(
        MEMCACHED,
        MEMCACHED,
        Protocol.MEMCACHED,
        "",
        "TERM",
        (folder, threads) -> {
          int port = ServerProcess.freePort();
          return ServerProcess.start(
              MEMCACHED,
              installed.command(port, threads, memoryMib, connections),
              port,
              folder.resolve("output"));
        });
  }

  /**
   * Returns memcached as it restarts warm: its items are in a file that it takes over if it was
   * stopped by USR1.
   *
   * @param memoryFile on a file system in memory
   */
  ServerSubject warmMemcached(Memcached installed, Path memoryFile) {
    return new ServerSubject(
        MEMCACHED + " -e",
        MEMCACHED,
        Protocol.MEMCACHED,
        "",
        "USR1",
        (folder, threads) -> {
          int port = ServerProcess.freePort();
          return ServerProcess.start(
              MEMCACHED + " -e",
              installed.warmCommand(port, threads, memoryMib, memoryFile),
              port,
              folder.resolve("output"));
        });
  }

  /** Returns Redis, which takes as much memory as it needs and serves with one thread. */
  static ServerSubject redis(Redis installed, Redis.Persistence persistence) {
    String durability = persistence.name().toLowerCase(Locale.ROOT);
    String name = REDIS + " " + durability;
    return new ServerSubject(
        name,
        REDIS,
        Protocol.REDIS,
        durability,
        "TERM",
        (folder, _) -> {
          int port = ServerProcess.freePort();
          return ServerProcess.start(
              name, installed.command(port, folder, persistence), port, folder.resolve("output"));
        });
  }

  /** Returns Howdah with a durability: {@code none} or {@code async}. */
  ServerSubject howdah(String durability) {
    String name = HOWDAH + " " + durability;
    return new ServerSubject(
        name,
        HOWDAH,
        Protocol.MEMCACHED,
        durability,
        "TERM",
        (folder, threads) -> start(name, durability, folder, threads));
  }

  private ServerProcess start(String name, String durability, Path folder, int threads)
      throws IOException {
    int port = ServerProcess.freePort();
    List<String> flags = new ArrayList<>(startOptions());
    flags.add("-XX:-UsePerfData"); // a killed JVM would leave that file behind
    flags.addAll(jvmFlags);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of("serve", folder.resolve(ServerSubject.STORE).toString(), "--mode", durability));
    arguments.addAll(List.of("-p", Integer.toString(port), "-t", Integer.toString(threads)));
    arguments.addAll(
        List.of("-m", Long.toString(memoryMib), "-c", Integer.toString(MAX_CONNECTIONS)));
    List<String> command = JavaCommand.of(flags, mainClass, arguments).words();
    return ServerProcess.start(name, command, port, folder.resolve("output"));
  }

  /** Returns whether Howdah's servers start from the cache of classes. */
  static boolean startsFromClassCache() throws IOException {
    return startOptions().stream().anyMatch(option -> option.startsWith(CACHE_OPTION));
  }

  /**
   * Returns what the start script gives a server's JVM: the cache of classes beside the program, if
   * that was made. Without the program's jar there is no manifest that allows native access.
   */
  private static List<String> startOptions() throws IOException {
    Path program = Path.of(System.getProperty("java.class.path").split(File.pathSeparator, 2)[0]);
    Path folder = program.getParent();
    if (folder == null || !program.toString().endsWith("howdah.jar")) {
      return List.of("--enable-native-access=ALL-UNNAMED");
    }
    String cache = "serve-" + Runtime.version() + "*.aot";
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, cache)) {
      for (Path file : found) {
        if (Files.size(file) > 0) {
          return List.of(
              CACHE_OPTION + file,
              "-Xlog:aot=off",
              "-Xlog:cds=off",
              "-Djava.library.path=" + folder.resolve("native"));
        }
      }
    }
    return List.of();
  }

  /** Opens Howdah's server within this process. */
  Server open(Path folder, InetSocketAddress address) {
    return new Server(
        folder.resolve(ServerSubject.STORE),
        ServerOptions.defaults()
            .withAddresses(List.of(address))
            .withThreads(1)
            .withMaxBytes(memoryMib << 20));
  }
}
