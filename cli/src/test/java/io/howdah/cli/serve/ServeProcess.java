package io.howdah.cli.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.howdah.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code howdah serve} in a process of its own. */
final class ServeProcess implements AutoCloseable {

  private static final int TIMEOUT_SECONDS = 120;

  private final Process process;
  private final BufferedReader out;
  private final Path err;
  private final List<String> lines = new ArrayList<>();

  private ServeProcess(Process process, Path err) {
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.err = err;
  }

  static ServeProcess start(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                // as the manifest of the command's jar says
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve"));
    command.addAll(List.of(arguments));
    Path err = Files.createTempFile("howdah-serve", ".err");
    return new ServeProcess(new ProcessBuilder(command).redirectError(err.toFile()).start(), err);
  }

  /** Waits until it is ready, and returns what it printed. */
  List<String> awaitReady() throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      lines.add(line);
      if (line.startsWith("howdah: ready")) {
        return lines;
      }
    }
    throw new AssertionError("it ended: " + lines + errors());
  }

  int port() throws IOException {
    if (lines.isEmpty()) {
      awaitReady();
    }
    for (String line : lines) {
      if (line.startsWith("howdah: listening on 127.0.0.1:")) {
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
      }
    }
    throw new AssertionError("no port: " + lines);
  }

  /** Sends a request and returns the first bytes of the reply, as many as those expected. */
  String ask(String request, int expected) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.setSoTimeout(TIMEOUT_SECONDS * 1000);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readNBytes(expected), US_ASCII);
    }
  }

  Process process() {
    return process;
  }

  void signal(String name) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("kill failed");
    }
  }

  int awaitExit() throws InterruptedException {
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end; it printed " + lines);
    }
    return process.exitValue();
  }

  /** Returns all that it printed to standard error. It has to have ended. */
  String errors() throws IOException {
    return Files.readString(err);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
      Files.deleteIfExists(err);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
