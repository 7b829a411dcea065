package io.howdah.core.storage.file;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM that runs a main class of these tests. Its standard error goes to a file. */
final class ChildJvm implements AutoCloseable {

  private static final long LIMIT_SECONDS = 60;

  private final Process process;
  private final Path errors;
  private final BufferedReader lines;

  private ChildJvm(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    this.lines = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts one.
   *
   * @param prefix a command that runs the command after it, or nothing
   */
  static ChildJvm start(List<String> prefix, Class<?> main, String... arguments)
      throws IOException {
    Path errors = Files.createTempFile("child", ".err");
    List<String> command = new ArrayList<>(prefix);
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ChildJvm(new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
  }

  long pid() {
    return process.pid();
  }

  /** Returns the next line of its standard output, or what went wrong. */
  String readLine() throws IOException {
    String line = lines.readLine();
    return line == null ? "ended: " + errors() : line;
  }

  /** Writes a line to its standard input and returns its answer. */
  String tell(String line) throws IOException {
    Writer input = process.outputWriter(StandardCharsets.UTF_8);
    input.write(line + "\n");
    input.flush();
    return readLine();
  }

  String errors() throws IOException {
    return Files.readString(errors);
  }

  int waitFor() {
    try {
      if (process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("the child is still running");
  }

  /** Ends it as SIGKILL does. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    waitFor();
    Files.delete(errors);
  }
}
