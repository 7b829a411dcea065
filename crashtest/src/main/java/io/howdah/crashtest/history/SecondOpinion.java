package io.howdah.crashtest.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Runs the checker of {@code crashtest/second-opinion}, a program in Go, on the files of {@link
 * HistoryFiles}.
 */
public final class SecondOpinion {

  private static final String FOLDER = "crashtest/second-opinion";

  /**
   * What the program says.
   *
   * @param counts what it counted, by name
   * @param isPassed whether all sound histories are linearizable, and all wrong ones are not
   */
  public record Verdict(SortedMap<String, Long> counts, boolean isPassed) {}

  private final Path program;

  /**
   * Prepares it.
   *
   * @param root the project's folder
   */
  public SecondOpinion(Path root) {
    this.program = root.resolve(FOLDER).toAbsolutePath().normalize();
  }

  /** Returns why it cannot run here; empty if it can. */
  public Optional<String> whyNot() throws InterruptedException {
    if (!Files.isRegularFile(program.resolve("go.mod"))) {
      return Optional.of("the sources of the second opinion are not in " + program);
    }
    try {
      Process process = new ProcessBuilder("go", "version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0
          ? Optional.empty()
          : Optional.of("go version ends with " + process.exitValue());
    } catch (IOException e) {
      return Optional.of("Go is not installed: " + e.getMessage());
    }
  }

  /**
   * Judges the histories of a folder.
   *
   * @param lines takes what the program says
   * @throws IOException if it could not run to its end
   */
  public Verdict judge(Path histories, Consumer<String> lines)
      throws IOException, InterruptedException {
    Path counts = Files.createTempFile("second-opinion", ".properties");
    try {
      Process process =
          new ProcessBuilder(
                  List.of(
                      "go",
                      "run",
                      ".",
                      "-counts",
                      counts.toString(),
                      histories.toAbsolutePath().toString()))
              .directory(program.toFile())
              .redirectErrorStream(true)
              .start();
      process.getOutputStream().close();
      try (BufferedReader output = process.inputReader()) {
        output.lines().forEach(lines);
      }
      int exitCode = process.waitFor();
      SortedMap<String, Long> counted = read(counts);
      // "go run" ends with 1 as well if it cannot build the program.
      if (counted.isEmpty()) {
        throw new IOException("no result; go run ends with " + exitCode);
      }
      return new Verdict(counted, exitCode == 0);
    } finally {
      Files.delete(counts);
    }
  }

  private static SortedMap<String, Long> read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    SortedMap<String, Long> counts = new TreeMap<>();
    for (String name : properties.stringPropertyNames()) {
      counts.put(name, Long.valueOf(properties.getProperty(name)));
    }
    return counts;
  }
}
