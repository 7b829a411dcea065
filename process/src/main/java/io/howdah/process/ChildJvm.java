package io.howdah.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A JVM of its own, made to be killed. For one thread. */
public final class ChildJvm {

  private static final long EXIT_SECONDS = 10;
  private static final int PRINT_POLL_MILLIS = 5;
  private static final long PRINT_TIMEOUT_NANOS = 300_000_000_000L;

  /** The property that tells where the checkout is. */
  private static final String ROOT = "howdah.root";

  /** What of its output goes into a message. */
  private static final int OUTPUT_CHARACTERS = 2000;

  private final Process process;
  private final Path output;
  private final AutoCloseable endGently = this::endGently;

  private ChildJvm(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts one with the class path of this JVM.
   *
   * @param mainClass what it runs
   * @param output where it writes; replaced
   */
  public static ChildJvm start(Class<?> mainClass, List<String> arguments, Path output)
      throws IOException {
    return start(Map.of(), List.of(), mainClass, arguments, output);
  }

  /**
   * Starts one with the class path of this JVM.
   *
   * @param environment besides that of this process
   * @param flags for the JVM, besides those that all have
   * @param mainClass what it runs
   * @param output where it writes; replaced
   */
  public static ChildJvm start(
      Map<String, String> environment,
      List<String> flags,
      Class<?> mainClass,
      List<String> arguments,
      Path output)
      throws IOException {
    List<String> all = new ArrayList<>();
    all.add("-XX:+UseSerialGC");
    all.add("-Xmx256m");
    all.add("-Xshare:auto");
    all.add("-XX:-UsePerfData"); // a killed JVM would leave that file behind
    all.addAll(flags);
    ProcessBuilder builder =
        JavaCommand.of(all, mainClass, arguments)
            .builder()
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    ChildJvm child = new ChildJvm(process, output);
    AtExit.close(child.endGently);
    return child;
  }

  /**
   * Runs one until it prints a line, then kills it.
   *
   * @param mainClass what it runs
   * @param output where it writes; replaced, and deleted at the end
   */
  public static void runAndKill(
      Class<?> mainClass, List<String> arguments, Path output, String line)
      throws IOException, InterruptedException {
    ChildJvm child = start(mainClass, arguments, output);
    long deadline = System.nanoTime() + PRINT_TIMEOUT_NANOS;
    while (!Files.readString(output).contains(line)) {
      if (!child.isAlive() || System.nanoTime() - deadline > 0) {
        child.kill();
        throw new IOException(mainClass.getSimpleName() + " " + child.lastWords());
      }
      Thread.sleep(PRINT_POLL_MILLIS);
    }
    child.kill();
    Files.delete(output);
  }

  /**
   * Runs one to its end, with the class path, input and output of this JVM.
   *
   * @param flags for the JVM
   * @param mainClass what it runs
   * @param output takes the lines that it writes to its standard output; null for that of this JVM
   * @return its exit code
   */
  public static int run(
      List<String> flags, Class<?> mainClass, List<String> arguments, @Nullable PrintWriter output)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(flags);
    String root = System.getProperty(ROOT);
    if (root != null) {
      all.add("-D" + ROOT + "=" + root);
    }
    ProcessBuilder builder = JavaCommand.of(all, mainClass, arguments).builder().inheritIO();
    if (output != null) {
      builder.redirectOutput(ProcessBuilder.Redirect.PIPE);
    }
    Process process = builder.start();
    AutoCloseable end = process::destroy;
    AtExit.close(end);
    try {
      if (output != null) {
        process.inputReader(StandardCharsets.UTF_8).lines().forEach(output::println);
        output.flush();
      }
      return process.waitFor();
    } finally {
      AtExit.forget(end);
    }
  }

  /** Returns the number by which the operating system knows it. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it as {@code kill -9} does, and waits until it is gone. */
  public void kill() throws InterruptedException, IOException {
    process.destroyForcibly();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("process " + process.pid() + " does not die");
    }
    AtExit.forget(endGently);
  }

  /** Lets it close its store and end; it takes the end of its input as the sign. */
  public void endGently() {
    try (OutputStream closed = process.getOutputStream()) {
      closed.flush();
    } catch (IOException _) {
      // It is gone already.
    }
    try {
      if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    AtExit.forget(endGently);
  }

  /** Returns how it ended and what it wrote. */
  public String lastWords() throws IOException, InterruptedException {
    String ended =
        process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)
            ? "ended with exit code " + process.exitValue()
            : "is still running";
    String written = Files.readString(output).strip();
    if (written.length() > OUTPUT_CHARACTERS) {
      written = written.substring(0, OUTPUT_CHARACTERS) + " ...";
    }
    return ended + (written.isEmpty() ? "" : ": " + written);
  }
}
