package io.howdah.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, to be killed: what an example shows of crashes, it shows of real ones. */
public final class ChildProcess implements AutoCloseable {

  private final Process process;

  private ChildProcess(Process process) {
    this.process = process;
  }

  /** Starts a class with the class path of this JVM; it writes where this one does. */
  public static ChildProcess start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ChildProcess(new ProcessBuilder(command).inheritIO().start());
  }

  /** Lets it run for some time; returns whether it still does. */
  public boolean runsFor(long millis) throws InterruptedException {
    return !process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /** Waits for its end and returns its exit code. */
  public int await() throws InterruptedException {
    return process.waitFor();
  }

  /** {@code kill -9}. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Leaves no process behind, whatever happened. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
