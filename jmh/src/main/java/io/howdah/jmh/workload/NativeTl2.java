package io.howdah.jmh.workload;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The native yardstick: {@link SixWords}, word by word, in a software transactional memory of its
 * own in C ({@code jmh/native/tl2.c}), without a log. The system's C compiler builds it; it runs in
 * a process of its own. For one thread.
 */
public final class NativeTl2 implements AutoCloseable {

  private static final String SOURCE = "tl2.c";
  private static final List<String> COMPILERS = List.of("cc", "gcc", "clang");
  private static final int COMPILE_SECONDS = 120;
  private static final int END_SECONDS = 10;

  /** Decisions that the program is built with, one at a time. */
  public enum Decision {
    /** TL2 as published. */
    NONE(""),
    /** Words are locked when they are written, not at the commit. */
    ENCOUNTER_TIME_LOCKING("-DENCOUNTER"),
    /** Versions of an epoch that a thread of its own advances, in place of the clock. */
    EPOCH("-DEPOCH");

    private final String compilerSwitch;

    Decision(String compilerSwitch) {
      this.compilerSwitch = compilerSwitch;
    }
  }

  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;
  private long seed = 1;

  private NativeTl2(Process process) {
    this.process = process;
    this.requests = process.outputWriter(StandardCharsets.US_ASCII);
    this.answers = process.inputReader(StandardCharsets.US_ASCII);
  }

  /**
   * Builds and starts it.
   *
   * @param folder for the program; exists
   * @param heapBytes of data
   * @param lockBits the number of locks is 2 to the power of this; each takes 8 bytes
   * @param largePages whether its memory asks for large pages
   * @throws YardstickUnavailableException without a C compiler, or if that or the program fails
   */
  public static NativeTl2 start(Path folder, long heapBytes, int lockBits, boolean largePages)
      throws IOException, InterruptedException, YardstickUnavailableException {
    return start(folder, heapBytes, lockBits, largePages, Decision.NONE);
  }

  /** The same, built with one decision exchanged. */
  public static NativeTl2 start(
      Path folder, long heapBytes, int lockBits, boolean largePages, Decision decision)
      throws IOException, InterruptedException, YardstickUnavailableException {
    Path program = compile(folder, decision);
    Process process =
        new ProcessBuilder(
                program.toString(),
                Long.toString(heapBytes),
                Integer.toString(lockBits),
                largePages ? "large" : "small")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    NativeTl2 started = new NativeTl2(process);
    try {
      if (!"ready".equals(started.answers.readLine())) {
        throw new YardstickUnavailableException("the native program did not start");
      }
    } catch (IOException | YardstickUnavailableException e) {
      started.close();
      throw e;
    }
    return started;
  }

  private static Path compile(Path folder, Decision decision)
      throws IOException, InterruptedException, YardstickUnavailableException {
    Path source = folder.resolve(SOURCE);
    try (InputStream in = NativeTl2.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new YardstickUnavailableException(SOURCE + " is not in the class path");
      }
      Files.write(source, in.readAllBytes());
    }
    Path program = folder.resolve("tl2" + decision.compilerSwitch);
    Path messages = folder.resolve("tl2.log");
    for (String compiler : COMPILERS) {
      Process build;
      List<String> command =
          new ArrayList<>(
              List.of(compiler, "-O2", "-pthread", "-o", program.toString(), source.toString()));
      if (decision != Decision.NONE) {
        command.add(decision.compilerSwitch);
      }
      try {
        build =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(messages.toFile())
                .start();
      } catch (IOException _) {
        continue; // not installed
      }
      if (!build.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS)) {
        build.destroyForcibly();
        throw new YardstickUnavailableException(
            compiler + " did not end in " + COMPILE_SECONDS + " s");
      }
      if (build.exitValue() != 0) {
        throw new YardstickUnavailableException(
            compiler + " failed: " + Files.readString(messages).strip());
      }
      return program;
    }
    throw new YardstickUnavailableException("no C compiler: none of " + COMPILERS + " is on PATH");
  }

  /** Returns transactions per second of so many threads. */
  public double perSecond(int threads, long nanos) throws IOException {
    String[] answer = ask(threads + " " + nanos + " " + seed).split(" ", -1);
    seed += threads;
    return Long.parseLong(answer[0]) * 1e9 / Long.parseLong(answer[1]);
  }

  /** Returns the sum of all words, as they are when nothing runs. */
  long sum() throws IOException {
    return Long.parseLong(ask("sum"));
  }

  private String ask(String request) throws IOException {
    requests.write(request);
    requests.write('\n');
    requests.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the native program ended");
    }
    return answer;
  }

  /** Ends the program. */
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
