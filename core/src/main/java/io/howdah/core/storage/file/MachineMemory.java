package io.howdah.core.storage.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** How much memory this process may use. */
public final class MachineMemory {

  private static final Path MEMORY_INFO = Path.of("/proc/meminfo");

  private static final Path STATUS = Path.of("/proc/self/status");

  private static final Path MAPPINGS = Path.of("/proc/self/smaps");

  private static final ControlGroups GROUPS = new ControlGroups(Path.of("/"));

  private static final RecentFigure USABLE = new RecentFigure(Figure.LIMIT, 1_000_000_000);

  /** Figures that are read anew each time. */
  public enum Figure implements LongSupplier {
    /** The lowest limit, as {@link #usableBytes} says. */
    LIMIT,
    /** {@link #heldBytes}. */
    HELD,
    /** {@link #availableBytes}. */
    AVAILABLE;

    @Override
    public long getAsLong() {
      if (this == HELD) {
        return heldBytes();
      }
      return this == AVAILABLE
          ? availableBytes()
          : Math.min(totalBytes(), GROUPS.memoryLimitBytes());
    }
  }

  private MachineMemory() {}

  /**
   * Returns the machine's memory, or the lowest limit of the control groups that the process is in,
   * such as a container's, a service's or a slice's, if that is lower. Where the system does not
   * tell, four times the Java heap, which by default is a quarter of the memory.
   *
   * <p>The files are read again once a second has passed, since a limit may be changed: an opening
   * asks several times.
   */
  public static long usableBytes() {
    return USABLE.get(System.nanoTime());
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

  /**
   * Returns how much of a range of addresses is in large pages. The kernel counts them for each
   * mapping; of one that reaches beyond the range, at most the part within it counts.
   *
   * @return empty where the system does not tell
   */
  static OptionalLong largePageBytes(long address, long lengthBytes) {
    // Paths may have any bytes.
    try (BufferedReader lines = Files.newBufferedReader(MAPPINGS, StandardCharsets.ISO_8859_1)) {
      return largePageBytes(lines, address, address + lengthBytes);
    } catch (IOException | RuntimeException e) {
      return OptionalLong.empty(); // not Linux, no descriptor left, or another format
    }
  }

  /** Reads the format of proc_pid_smaps(5). */
  static OptionalLong largePageBytes(BufferedReader lines, long from, long to) throws IOException {
    boolean isTold = false;
    long bytes = 0;
    long within = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int space = line.indexOf(' ');
      if (space <= 0 || line.charAt(space - 1) != ':') { // the first line of a mapping
        int dash = line.indexOf('-');
        long start = Long.parseUnsignedLong(line, 0, dash, 16);
        long end = Long.parseUnsignedLong(line, dash + 1, space, 16);
        // The page of system calls lies in the upper half, where no region is.
        within = start < 0 ? 0 : Math.max(Math.min(end, to) - Math.max(start, from), 0);
      } else if (within > 0 && isLargePages(line)) {
        isTold = true;
        bytes += Math.min(kibibytes(line) << 10, within);
      }
    }
    return isTold ? OptionalLong.of(bytes) : OptionalLong.empty();
  }

  private static boolean isLargePages(String line) {
    return line.startsWith("AnonHugePages:")
        || line.startsWith("FilePmdMapped:")
        || line.startsWith("ShmemPmdMapped:");
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
