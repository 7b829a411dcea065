package io.howdah.jmh.workload;

import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The yardstick of the JVM: {@link SixRefs} in ScalaSTM, whose words are a heap object. It runs in
 * a JVM of its own with the class path of the module {@code peers}, which alone depends on the
 * library. For one thread.
 */
public final class ScalaStm implements AutoCloseable {

  /** In the module {@code peers}. */
  private static final String MAIN = "io.howdah.peers.StmMain";

  /** What {@link #MAIN} answers before anything else. */
  public static final String READY = "ready";

  /** How {@link #MAIN} begins an answer that is a failure. */
  public static final String FAILED = "failed ";

  private static final int END_SECONDS = 10;
  private static final int MAX_ERROR_LENGTH = 400;

  /** For garbage, and for the library's own tables. */
  private static final long SPARE_HEAP_MIB = 512;

  private final Process process;
  private final Path errors;
  private final BufferedWriter requests;
  private final BufferedReader answers;

  private ScalaStm(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts it.
   *
   * @param folder for what it writes to its error output; exists
   * @param classPath of the module {@code peers} and what it needs
   * @param heapBytes of words
   * @param largePages whether its memory asks for large pages
   * @throws YardstickUnavailableException if it does not start
   */
  public static ScalaStm start(Path folder, String classPath, long heapBytes, boolean largePages)
      throws IOException, YardstickUnavailableException {
    Path errors = folder.resolve("scala-stm.err");
    List<String> flags = new ArrayList<>();
    // The words are one array. Twice as much, so that it fits also after other objects were there.
    flags.add("-Xmx" + (2 * (heapBytes >> 20) + SPARE_HEAP_MIB) + "m");
    flags.add("-Xshare:auto");
    if (largePages) {
      flags.add("-XX:+UseTransparentHugePages");
    }
    List<String> arguments = List.of(Long.toString(heapBytes / Long.BYTES));
    Process process =
        new JavaCommand(flags, classPath, MAIN, arguments)
            .builder()
            .redirectError(errors.toFile())
            .start();
    ScalaStm started = new ScalaStm(process, errors);
    String answer = started.answers.readLine();
    if (!READY.equals(answer)) {
      started.close();
      throw new YardstickUnavailableException("its JVM did not start" + started.complaint());
    }
    return started;
  }

  /** Returns transactions per second of so many threads. */
  public double perSecond(int threads, long nanos) throws IOException {
    String[] answer = ask("run " + threads + " " + nanos).split(" ", -1);
    return Long.parseLong(answer[0]) * 1e9 / Long.parseLong(answer[1]);
  }

  /**
   * Checks that no addition was lost, or made twice; returns how many transactions have committed.
   *
   * @throws IllegalStateException if the words do not add up
   */
  public long verify() throws IOException {
    return Long.parseLong(ask("verify"));
  }

  private String ask(String request) throws IOException {
    requests.write(request);
    requests.write('\n');
    requests.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the JVM of ScalaSTM has ended" + complaint());
    }
    if (answer.startsWith(FAILED)) {
      throw new IllegalStateException("ScalaSTM: " + answer.substring(FAILED.length()));
    }
    return answer;
  }

  private String complaint() throws IOException {
    String said = Files.readString(errors, StandardCharsets.ISO_8859_1).strip();
    return said.isEmpty()
        ? ""
        : ": " + said.substring(0, Math.min(said.length(), MAX_ERROR_LENGTH));
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
