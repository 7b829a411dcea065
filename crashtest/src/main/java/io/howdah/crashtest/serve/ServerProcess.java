package io.howdah.crashtest.serve;

import io.howdah.process.AtExit;
import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a JVM of its own, made to be killed. For one thread. */
public final class ServerProcess implements AutoCloseable {

  private static final long EXIT_SECONDS = 20;

  /** What of its output goes into a message. */
  private static final int MAX_OUTPUT_CHARACTERS = 4000;

  /** How often a start is tried while something else has the port. */
  private static final int MAX_STARTS = 20;

  private static final Pattern LISTENS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

  private final Process process;
  private final int port;
  private final Thread reader;
  private final Queue<String> output;
  private final AutoCloseable atExit = this::kill;

  private ServerProcess(Process process, int port, Thread reader, Queue<String> output) {
    this.process = process;
    this.port = port;
    this.reader = reader;
    this.output = output;
  }

  /**
   * How servers are started.
   *
   * @param jvmFlags for their JVMs
   * @param classPath of the command
   * @param command main class and arguments that make it serve, without directory and options
   */
  public record Launcher(List<String> jvmFlags, String classPath, List<String> command) {

    /** Copies the lists. */
    public Launcher {
      jvmFlags = List.copyOf(jvmFlags);
      command = List.copyOf(command);
    }

    /** Returns the launcher of {@code howdah serve}, with a class path that has the command. */
    public static Launcher of(String classPath) {
      return new Launcher(
          List.of(
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Xmx192m",
              "-Xshare:auto",
              "-XX:-UsePerfData", // a killed JVM would leave that file behind
              "-Dio.netty.leakDetection.level=paranoid",
              "--enable-native-access=ALL-UNNAMED"),
          classPath,
          List.of("io.howdah.cli.Main", "serve"));
    }

    /** Returns this launcher with more flags for the JVM. */
    public Launcher withFlags(String... flags) {
      List<String> all = new ArrayList<>(jvmFlags);
      all.addAll(List.of(flags));
      return new Launcher(all, classPath, command);
    }

    /**
     * Starts a server and waits until it listens.
     *
     * @param port where it listens, on the loopback address; 0 for a free one
     * @param options of the command
     */
    public ServerProcess start(Path directory, int port, String... options) throws IOException {
      List<String> words = words(directory, port, options);
      String said = "";
      for (int i = 0; i < (port == 0 ? 1 : MAX_STARTS); i++) {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        Queue<String> output = new ConcurrentLinkedQueue<>();
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        int listens = readPort(lines, output);
        if (listens != 0) {
          return running(process, listens, lines, output);
        }
        said = String.join("\n", output);
        process.destroyForcibly();
        if (!said.contains("in use")) {
          break;
        }
      }
      throw new IOException("the server did not start: " + said);
    }

    private List<String> words(Path directory, int port, String... options) {
      List<String> arguments = new ArrayList<>(command.subList(1, command.size()));
      arguments.addAll(List.of("-p", Integer.toString(port)));
      arguments.addAll(List.of(options));
      arguments.add(directory.toString());
      return new JavaCommand(jvmFlags, classPath, command.getFirst(), arguments).words();
    }

    /** Starts a server and kills it after a time, however far it is. */
    public void killWhileOpening(Path directory, long nanos, String... options)
        throws IOException, InterruptedException {
      Process process =
          new ProcessBuilder(words(directory, 0, options))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.waitFor(nanos, TimeUnit.NANOSECONDS);
      process.destroyForcibly();
      if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("process " + process.pid() + " does not die");
      }
    }

    private static ServerProcess running(
        Process process, int port, BufferedReader lines, Queue<String> output) {
      Thread reader =
          Thread.ofPlatform()
              .daemon()
              .name("server-output")
              .start(
                  () -> {
                    try {
                      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        output.add(line);
                      }
                    } catch (IOException _) {
                      // It was killed.
                    }
                  });
      ServerProcess server = new ServerProcess(process, port, reader, output);
      AtExit.close(server.atExit);
      return server;
    }
  }

  private static int readPort(BufferedReader lines, Queue<String> output) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
      Matcher listens = LISTENS.matcher(line);
      if (listens.find()) {
        return Integer.parseInt(listens.group(1));
      }
    }
    return 0;
  }

  /** Returns where it listens. */
  public int port() {
    return port;
  }

  /** Returns its process id. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns what it has written until now. */
  public String output() {
    String written = String.join("\n", output);
    return written.length() <= MAX_OUTPUT_CHARACTERS
        ? written
        : written.substring(0, MAX_OUTPUT_CHARACTERS) + " ...";
  }

  /** Kills it as {@code kill -9} does, and waits until it is gone. */
  public void kill() throws IOException {
    process.destroyForcibly();
    await("die");
  }

  /** Tells it to stop, as {@code kill} does, and waits until it has. Returns its exit code. */
  public int stop() throws IOException {
    process.destroy();
    await("stop");
    return process.exitValue();
  }

  /** Waits until it has ended by itself. Returns its exit code. */
  public int awaitEnd() throws IOException {
    await("end");
    return process.exitValue();
  }

  private void await(String what) throws IOException {
    try {
      if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("process " + process.pid() + " does not " + what);
      }
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    AtExit.forget(atExit);
  }

  /** Kills it if it still runs. */
  @Override
  public void close() throws IOException {
    kill();
  }
}
