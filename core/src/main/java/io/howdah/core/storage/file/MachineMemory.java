package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory this process may use. */
public final class MachineMemory {

  private static final Path MEMORY_INFO = Path.of("/proc/meminfo");

  private static final Path STATUS = Path.of("/proc/self/status");

  private static final ControlGroups GROUPS = new ControlGroups(Path.of("/"));

  private MachineMemory() {}

  /**
   * Returns the machine's memory, or the lowest limit of the control groups that the process is in,
   * such as a container's, a service's or a slice's, if that is lower. Where the system does not
   * tell, four times the Java heap, which by default is a quarter of the memory.
   */
  public static long usableBytes() {
    return Math.min(totalBytes(), GROUPS.memoryLimitBytes());
  }

  /**
   * Returns the memory of this process that the kernel cannot take back: the Java heap as far as it
   * was touched, and every page of a store that was written, in memory or swapped out. Pages that
   * were only read do not count. 0 where the system does not tell.
   */
  public static long heldBytes() {
    long kibibytes = 0;
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("RssAnon:")
            || line.startsWith("RssShmem:")
            || line.startsWith("VmSwap:")) {
          kibibytes += kibibytes(line);
        }
      }
    } catch (IOException | RuntimeException e) {
      return 0; // not Linux, or no descriptor left
    }
    return kibibytes << 10;
  }

  /**
   * Returns the memory that the machine can still give to a process, page cache that it would drop
   * for it included; {@link Long#MAX_VALUE} where the system does not tell.
   */
  public static long availableBytes() {
    return memoryInfo("MemAvailable:", Long.MAX_VALUE);
  }

  private static long totalBytes() {
    return memoryInfo("MemTotal:", Runtime.getRuntime().maxMemory() << 2);
  }

  private static long memoryInfo(String name, long unknown) {
    try {
      for (String line : Files.readAllLines(MEMORY_INFO)) {
        if (line.startsWith(name)) {
          return kibibytes(line) << 10;
        }
      }
    } catch (IOException | RuntimeException e) {
      // Not Linux, or nothing we can read.
    }
    return unknown;
  }

  /** Returns the figure of a line such as "VmSwap: 12 kB". */
  private static long kibibytes(String line) {
    String figure = line.substring(line.indexOf(':') + 1).strip();
    return Long.parseLong(figure.substring(0, figure.indexOf(' ')));
  }
}
