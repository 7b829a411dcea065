package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The files in which a JVM reports a fatal error of its own, a wild native store for example, and
 * their detection by a later process. HotSpot tries them in this order: the file of {@code
 * -XX:ErrorFile}, {@code hs_err_pid<number>.log} in the working directory, and the same name in
 * {@code /tmp}.
 *
 * <p>A note has a line for each file: when it was last modified as the note was made, in
 * milliseconds, 0 if it did not exist; and its path. A file that has another time later is a
 * report. So a file that an earlier process of the same number has left is none.
 *
 * <p>Not found are reports of a JVM that writes none ({@code -XX:+SuppressFatalErrorMessage}), or
 * writes it to its output ({@code -XX:+ErrorFileToStdout}); of one whose {@code -XX:ErrorFile} is
 * in a file of arguments; and of a container whose files this process does not see.
 */
final class FatalErrorFiles {

  private static final String OPTION = "-XX:ErrorFile=";
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
  private static final Path WORKING_DIRECTORY = Path.of("/proc/self/cwd");
  private static final Path TEMPORARY = Path.of("/tmp");

  /** Variables from which a JVM takes options, beside its command line. */
  private static final List<String> VARIABLES =
      List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  private static final int MAX_BYTES = 1 << 14;

  private FatalErrorFiles() {}

  /** Returns the note of this process. */
  static String note() {
    List<String> options = new ArrayList<>();
    try {
      options.addAll(
          List.of(
              new String(Files.readAllBytes(COMMAND_LINE), StandardCharsets.UTF_8).split("\0")));
    } catch (IOException e) {
      // Not on Linux, where no memory outlives a process either.
    }
    for (String variable : VARIABLES) {
      String value = System.getenv(variable);
      if (value != null) {
        options.addAll(List.of(value.split("\\s+")));
      }
    }
    Path directory;
    try {
      directory = WORKING_DIRECTORY.toRealPath();
    } catch (IOException e) {
      directory = Path.of("").toAbsolutePath();
    }
    return note(options, directory, ProcessHandle.current().pid());
  }

  /**
   * Returns the note of a process.
   *
   * @param options of its JVM, among other words
   */
  static String note(List<String> options, Path directory, long process) {
    Set<Path> files = new LinkedHashSet<>();
    for (String option : options) {
      if (option.startsWith(OPTION)) {
        String name = expanded(option.substring(OPTION.length()), process);
        try {
          files.add(directory.resolve(name));
        } catch (InvalidPathException e) {
          // The JVM cannot open it either.
        }
      }
    }
    String usual = "hs_err_pid" + process + ".log";
    files.add(directory.resolve(usual));
    files.add(TEMPORARY.resolve(usual));
    StringBuilder note = new StringBuilder();
    for (Path file : files) {
      String line = modifiedMillis(file) + " " + file + "\n";
      boolean isOneLine = file.toString().indexOf('\n') < 0;
      if (isOneLine && length(note) + length(line) <= MAX_BYTES) {
        note.append(line);
      }
    }
    return note.toString();
  }

  private static int length(CharSequence text) {
    return text.toString().getBytes(StandardCharsets.UTF_8).length;
  }

  /** Replaces what HotSpot replaces: {@code %p} by the number of the process, {@code %%} by %. */
  private static String expanded(String pattern, long process) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char next = i + 1 < pattern.length() ? pattern.charAt(i + 1) : 0;
      if (pattern.charAt(i) == '%' && (next == 'p' || next == '%')) {
        name.append(next == 'p' ? Long.toString(process) : "%");
        i++;
      } else {
        name.append(pattern.charAt(i));
      }
    }
    return name.toString();
  }

  /**
   * Returns the first file of a note that is a report. A line that is none of a note is left out.
   */
  static Optional<String> found(String note) {
    for (String line : note.lines().toList()) {
      int space = line.indexOf(' ');
      if (space > 0) {
        try {
          long former = Long.parseLong(line.substring(0, space));
          Path file = Path.of(line.substring(space + 1));
          long modified = modifiedMillis(file);
          if (file.isAbsolute() && modified != 0 && modified != former) {
            return Optional.of(file.toString());
          }
        } catch (IllegalArgumentException e) {
          // No number, or no path.
        }
      }
    }
    return Optional.empty();
  }

  private static long modifiedMillis(Path file) {
    try {
      return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
    } catch (IOException e) {
      return 0;
    }
  }
}
