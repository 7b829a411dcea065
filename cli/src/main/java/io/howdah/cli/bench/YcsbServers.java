package io.howdah.cli.bench;

import io.howdah.jmh.process.Memcached;
import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.study.ServerSubject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The servers that {@code bench ycsb} starts, each as a process of its own. */
final class YcsbServers {

  static final String HOWDAH = "howdah";
  static final String MEMCACHED = "memcached";

  private final long memoryMib;
  private final List<String> jvmFlags;

  /**
   * Describes them.
   *
   * @param memoryMib limit of the items of each
   * @param jvmFlags for Howdah's JVM
   */
  YcsbServers(long memoryMib, List<String> jvmFlags) {
    this.memoryMib = memoryMib;
    this.jvmFlags = List.copyOf(jvmFlags);
  }

  /** Returns memcached. */
  ServerSubject memcached(Memcached installed) {
    return new ServerSubject(
        MEMCACHED,
        MEMCACHED,
        "",
        (folder, threads) -> {
          int port = ServerProcess.freePort();
          return ServerProcess.start(
              MEMCACHED,
              installed.command(port, threads, memoryMib),
              port,
              folder.resolve("output"));
        });
  }

  /** Returns Howdah with a durability: {@code none} or {@code async}. */
  ServerSubject howdah(String durability) {
    String name = HOWDAH + " " + durability;
    return new ServerSubject(
        name, HOWDAH, durability, (folder, threads) -> start(name, durability, folder, threads));
  }

  private ServerProcess start(String name, String durability, Path folder, int threads)
      throws IOException {
    int port = ServerProcess.freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmFlags);
    command.add("-XX:-UsePerfData"); // a killed JVM would leave that file behind
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(BenchServer.class.getName());
    command.add(folder.resolve("store").toString());
    command.add(durability.toUpperCase(Locale.ROOT));
    command.addAll(
        List.of(Integer.toString(port), Integer.toString(threads), Long.toString(memoryMib)));
    return ServerProcess.start(name, command, port, folder.resolve("output"));
  }
}
