package io.howdah.crashtest.power;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the system to their end. */
final class Programs {

  private static final long TIMEOUT_SECONDS = 120;

  /** Root's programs are not on the path of every shell. */
  private static final List<String> FOLDERS = List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin");

  private Programs() {}

  /** Returns whether a program is there. */
  static boolean exists(String name) {
    String path = System.getenv().getOrDefault("PATH", "");
    return FOLDERS.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, name)))
        || Arrays.stream(path.split(File.pathSeparator, -1))
            .anyMatch(folder -> !folder.isEmpty() && Files.isExecutable(Path.of(folder, name)));
  }

  /**
   * Runs a program.
   *
   * @return what it wrote, without blanks at its ends
   * @throws IOException if it fails, with what it wrote
   */
  static String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .merge("PATH", String.join(File.pathSeparator, FOLDERS), (a, b) -> a + ":" + b);
    Process process = builder.start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " does not end");
    }
    if (process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + " failed: " + output);
    }
    return output;
  }
}
