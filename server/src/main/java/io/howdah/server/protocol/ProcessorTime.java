package io.howdah.server.protocol;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The processor time of this process, as {@code stats} tells it. On Linux apart as user's and
 * system's; elsewhere the sum counts as the user's.
 *
 * @param userMicros in the program
 * @param systemMicros in the kernel
 */
record ProcessorTime(long userMicros, long systemMicros) {

  private static final Path LINUX = Path.of("/proc/self/stat");
  private static final long SECOND = 1_000_000;

  /** Linux shows processor times to programs in hundredths of a second. */
  private static final long MICROS_PER_TICK = SECOND / 100;

  private static final int USER_FIELD = 11; // counted from the one after the program's name
  private static final int SYSTEM_FIELD = 12;

  static ProcessorTime now() {
    try {
      String line = Files.readString(LINUX, StandardCharsets.ISO_8859_1);
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return new ProcessorTime(
          Long.parseLong(fields[USER_FIELD]) * MICROS_PER_TICK,
          Long.parseLong(fields[SYSTEM_FIELD]) * MICROS_PER_TICK);
    } catch (IOException | RuntimeException _) {
      return sum();
    }
  }

  private static ProcessorTime sum() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? new ProcessorTime(Math.max(0, system.getProcessCpuTime() / 1000), 0)
        : new ProcessorTime(0, 0);
  }

  String user() {
    return seconds(userMicros);
  }

  String system() {
    return seconds(systemMicros);
  }

  private static String seconds(long micros) {
    return String.format(Locale.ROOT, "%d.%06d", micros / SECOND, micros % SECOND);
  }
}
