package io.howdah.crashtest.power;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A library that notes what a process does to the files below a folder: {@code
 * crashtest/native/calls.c}, which the system's C compiler builds. Immutable.
 */
final class NotedCalls {

  private static final String SOURCE = "calls.c";
  private static final List<String> COMPILERS = List.of("cc", "gcc", "clang");

  private final Path library;

  private NotedCalls(Path library) {
    this.library = library;
  }

  /**
   * Builds the library.
   *
   * @param folder for its file
   * @return why this machine cannot; empty if it can
   */
  static Optional<String> whyNot(Path folder) throws InterruptedException {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return Optional.of("noting the calls of a process needs Linux");
    }
    if (COMPILERS.stream().noneMatch(Programs::exists)) {
      return Optional.of("no C compiler: none of " + COMPILERS + " is on PATH");
    }
    try {
      build(folder).delete();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("the library that notes calls cannot be built: " + e.getMessage());
    }
  }

  /**
   * Builds the library.
   *
   * @param folder for its file; exists
   */
  static NotedCalls build(Path folder) throws IOException, InterruptedException {
    String compiler =
        COMPILERS.stream()
            .filter(Programs::exists)
            .findFirst()
            .orElseThrow(() -> new IOException("no C compiler"));
    Path source = folder.resolve(SOURCE);
    Path library = folder.resolve("calls.so");
    try (InputStream in = NotedCalls.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new FileNotFoundException(SOURCE + " is not in the class path");
      }
      Files.copy(in, source);
    }
    try {
      Programs.run(
          compiler,
          "-O2",
          "-fPIC",
          "-shared",
          "-pthread",
          "-o",
          library.toString(),
          source.toString(),
          "-ldl");
    } finally {
      Files.delete(source);
    }
    return new NotedCalls(library.toRealPath());
  }

  /**
   * Returns the environment of a process whose calls are noted.
   *
   * @param folder below which files are watched; exists
   * @param notes an existing file, to which notes are appended
   */
  Map<String, String> environment(Path folder, Path notes) throws IOException {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "HOWDAH_CALLS_FOLDER", folder.toRealPath().toString(),
        "HOWDAH_CALLS_NOTES", notes.toRealPath().toString());
  }

  void delete() throws IOException {
    Files.deleteIfExists(library);
  }
}
