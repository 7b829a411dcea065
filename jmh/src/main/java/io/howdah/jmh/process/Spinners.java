package io.howdah.jmh.process;

import io.howdah.process.JavaCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that keeps every processor busy at the lowest priority, so that no measured thread
 * waits for a processor that sleeps: on virtual machines such wake-ups take longer than the work.
 * With {@code chrt} its threads run only where nothing else does; with {@code nice} alone they take
 * a small share.
 */
public final class Spinners implements AutoCloseable {

  private static final Path CHRT = Path.of("/usr/bin/chrt");

  private final Process process;

  private Spinners(Process process) {
    this.process = process;
  }

  /** Starts one thread for each processor. They end with this process, too. */
  public static Spinners start() throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(
        Files.isExecutable(CHRT)
            ? List.of(CHRT.toString(), "-i", "0")
            : List.of("nice", "-n", "19"));
    command.addAll(
        JavaCommand.of(
                List.of(
                    "-XX:+UseSerialGC", "-Xmx16m", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"),
                Spin.class,
                List.of())
            .words());
    return new Spinners(
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** The program of that process. */
  static final class Spin {

    private Spin() {}

    private static void spin() {
      while (true) {
        Thread.onSpinWait();
      }
    }

    /** Spins until the standard input ends. */
    public static void main(String[] args) throws IOException {
      for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
        Thread.ofPlatform().daemon().start(Spin::spin);
      }
      while (System.in.read() >= 0) {
        // The parent writes nothing; when it ends, so does the input.
      }
    }
  }

  @Override
  public void close() throws IOException {
    try (OutputStream input = process.getOutputStream()) {
      input.flush();
    } finally {
      process.destroyForcibly();
    }
  }
}
