package io.howdah.crashtest.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the operating system says of a process and of a folder; Linux only, else nothing. */
final class ProcessFigures {

  private static final double MEGA = 1e6;
  private static final long KIBI = 1024;

  private ProcessFigures() {}

  /** Adds the memory, descriptors and threads of a process. */
  static void read(long pid, Map<SoakSeries, Double> values) {
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      List<String> status = Files.readAllLines(process.resolve("status"));
      values.put(SoakSeries.RESIDENT, number(status, "VmRSS:") * KIBI / MEGA);
      values.put(SoakSeries.ANONYMOUS, number(status, "RssAnon:") * KIBI / MEGA);
      values.put(SoakSeries.THREADS, (double) number(status, "Threads:"));
      try (Stream<Path> open = Files.list(process.resolve("fd"))) {
        values.put(SoakSeries.DESCRIPTORS, (double) open.count());
      }
    } catch (IOException | IllegalStateException e) {
      // No such file system here, or the process has just ended: the sample has no such figures.
    }
  }

  private static long number(List<String> status, String name) {
    for (String line : status) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.substring(name.length()).strip().split(" ", -1)[0]);
      }
    }
    throw new IllegalStateException("no " + name);
  }

  /** Adds the space that the files of a folder take. */
  static void files(Path folder, Map<SoakSeries, Double> values) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += size(file);
      }
    }
    values.put(SoakSeries.FILES, bytes / MEGA);
  }

  private static long size(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0; // Checkpoints remove files at any time.
    }
  }
}
