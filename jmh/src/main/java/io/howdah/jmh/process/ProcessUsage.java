package io.howdah.jmh.process;

import io.howdah.jmh.ycsb.LoadException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What Linux counts of a process, all its threads included. For one thread. */
public final class ProcessUsage {

  /** proc(5) gives times in this unit on every architecture that Linux has a JDK for. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** The fields utime and stime, counted from the one after the name in brackets. */
  private static final int USER_FIELD = 11;

  private static final int SYSTEM_FIELD = 12;
  private static final long KIB = 1024;
  private static final String RSS = "VmRSS:";

  private final Path folder;

  /**
   * The processor time of each thread, as it was last seen: a thread that has ended counts, too.
   */
  private final Map<String, Long> nanosByThread = new HashMap<>();

  /** Looks at a process by its number. */
  public ProcessUsage(long pid) {
    folder = Path.of("/proc", Long.toString(pid));
  }

  /**
   * Returns the processor time that the process has used, in nanoseconds. What a thread used
   * between the last call and its end is missing.
   */
  public long cpuNanos() {
    File[] threads = folder.resolve("task").toFile().listFiles();
    if (threads == null || !Files.exists(folder.resolve("schedstat"))) {
      return cpuTicks() * NANOS_PER_TICK; // a kernel without scheduler statistics
    }
    for (File thread : threads) {
      try {
        String nanos = read(thread.toPath().resolve("schedstat")).split(" ", 2)[0];
        nanosByThread.put(thread.getName(), Long.parseLong(nanos));
      } catch (IOException _) {
        // It has just ended.
      }
    }
    return nanosByThread.values().stream().mapToLong(Long::longValue).sum();
  }

  private long cpuTicks() {
    String stat = require("stat");
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[SYSTEM_FIELD]);
  }

  /** Returns the bytes of its memory that are resident. */
  public long residentBytes() {
    String line =
        require("status")
            .lines()
            .filter(each -> each.startsWith(RSS))
            .findFirst()
            .orElse(RSS + " 0 kB");
    return Long.parseLong(line.substring(RSS.length()).strip().split(" ", 2)[0]) * KIB;
  }

  private String require(String file) {
    try {
      return read(folder.resolve(file));
    } catch (IOException e) {
      throw new LoadException(
          "process %s cannot be looked at, it has ended or is not of this machine: %s"
              .formatted(folder.getFileName(), e.getMessage()),
          e);
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }
}
