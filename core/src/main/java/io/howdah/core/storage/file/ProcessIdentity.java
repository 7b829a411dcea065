package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One run of one process on one run of one kernel. A process number alone is used again; together
 * with the start time, counted by the kernel in ticks since the machine started, it is not.
 *
 * @param boot the kernel's identity, which no two machines and no two runs share
 * @param namespaces those in which number and start time count: of processes and of time
 * @param pid the process number
 * @param startTicks when the process started
 */
record ProcessIdentity(String boot, String namespaces, long pid, long startTicks) {

  private static final Path PROCESSES = Path.of("/proc");
  private static final Path BOOT_ID = PROCESSES.resolve("sys/kernel/random/boot_id");
  private static final Path SELF = PROCESSES.resolve("self");

  /** Where the start time stands in a process's {@code stat}, counted from its state. */
  private static final int START_TICKS_FIELD = 19;

  /** What can be said about a process. */
  enum Life {
    /** It runs. */
    RUNS,
    /** It has ended. */
    ENDED,
    /** It belongs to another machine, or to a namespace whose processes are not seen from here. */
    UNKNOWN
  }

  /** A state letter and the start time, as the kernel tells them. */
  private record Stat(long pid, char state, long startTicks) {}

  /**
   * Written out, since the JVM generates the method of a record at its first call: in an opening.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ProcessIdentity that
        && pid == that.pid
        && startTicks == that.startTicks
        && boot.equals(that.boot)
        && namespaces.equals(that.namespaces);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(pid ^ startTicks);
  }

  /** Returns this process, empty where the system does not tell enough: off Linux. */
  static Optional<ProcessIdentity> self() {
    try {
      Stat stat = stat(SELF.resolve("stat"));
      return Optional.of(
          new ProcessIdentity(
              Files.readString(BOOT_ID).strip(), namespacesOfSelf(), stat.pid, stat.startTicks));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /** Returns the number of this process. */
  static long ownPid() {
    return Self.PID;
  }

  /** A {@link ProcessHandle} starts a pool of threads when it is first used. */
  private static final class Self {
    static final long PID = read();

    private static long read() {
      try {
        return Long.parseLong(Files.readSymbolicLink(SELF).toString());
      } catch (IOException | RuntimeException e) {
        return ProcessHandle.current().pid(); // not Linux
      }
    }
  }

  private static String namespacesOfSelf() throws IOException {
    Path time = SELF.resolve("ns/time"); // absent before Linux 5.6
    return Files.readSymbolicLink(SELF.resolve("ns/pid"))
        + (Files.exists(time) ? "," + Files.readSymbolicLink(time) : "");
  }

  /**
   * Returns whether this process runs.
   *
   * @param observer the process that asks
   */
  Life life(ProcessIdentity observer) {
    if (!boot.equals(observer.boot) || !namespaces.equals(observer.namespaces)) {
      return Life.UNKNOWN;
    }
    try {
      Stat stat = stat(PROCESSES.resolve(Long.toString(pid)).resolve("stat"));
      // A zombie has closed its files: only its parent has yet to look.
      boolean ended = stat.startTicks != startTicks || stat.state == 'Z' || stat.state == 'X';
      return ended ? Life.ENDED : Life.RUNS;
    } catch (NoSuchFileException e) {
      return Life.ENDED;
    } catch (IOException | RuntimeException e) {
      return Life.UNKNOWN;
    }
  }

  private static Stat stat(Path file) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      // A process that ends between opening and reading: "No such process".
      if (!Files.exists(file)) {
        throw new NoSuchFileException(file.toString());
      }
      throw e;
    }
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    // The name between the parentheses may hold blanks and parentheses itself.
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    return new Stat(
        Long.parseLong(text.substring(0, text.indexOf(' '))),
        fields[0].charAt(0),
        Long.parseLong(fields[START_TICKS_FIELD]));
  }
}
