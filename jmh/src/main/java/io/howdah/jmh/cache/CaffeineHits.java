package io.howdah.jmh.cache;

import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How many requests of a trace Caffeine finds, in a JVM of its own with the class path of the
 * module {@code peers}, which alone depends on the library. For one thread.
 */
public final class CaffeineHits implements AutoCloseable {

  /** In the module {@code peers}. */
  private static final String MAIN = "io.howdah.peers.CaffeineMain";

  private static final int END_SECONDS = 10;
  private static final int MAX_ERROR_LENGTH = 400;

  private final Process process;
  private final Path errors;
  private final BufferedWriter requests;
  private final BufferedReader answers;

  private CaffeineHits(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts its JVM.
   *
   * @param folder for what it writes to its error output; exists
   * @param classPath of the module {@code peers} and what it needs
   * @throws IOException if it does not start
   */
  public static CaffeineHits start(Path folder, String classPath) throws IOException {
    Path errors = folder.resolve("caffeine.err");
    Process process =
        new JavaCommand(List.of("-Xmx2g", "-Xshare:auto"), classPath, MAIN, List.of())
            .builder()
            .redirectError(errors.toFile())
            .start();
    CaffeineHits started = new CaffeineHits(process, errors);
    try {
      long _ = started.ask("1 1 " + CacheTrace.of(CacheTrace.Kind.LOOP, 1, 1).name());
    } catch (IOException e) {
      started.close();
      throw e;
    }
    return started;
  }

  /** Runs a trace: a key that is missing is put. */
  public long of(CacheTrace trace, int requests, int entries) throws IOException {
    return ask(requests + " " + entries + " " + trace.name());
  }

  private long ask(String request) throws IOException {
    requests.write(request);
    requests.write('\n');
    requests.flush();
    String answer = answers.readLine();
    if (answer == null) {
      String said = Files.readString(errors, StandardCharsets.ISO_8859_1).strip();
      throw new IOException(
          "the JVM of Caffeine has ended: "
              + said.substring(0, Math.min(said.length(), MAX_ERROR_LENGTH)));
    }
    return Long.parseLong(answer);
  }

  /** Ends the JVM. */
  @Override
  public void close() {
    try {
      requests.close();
    } catch (IOException _) {
      process.destroyForcibly(); // it has ended, or does not read
    }
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
