package io.howdah.jmh.process;

import io.howdah.jmh.ycsb.LoadException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A server that this process has started on the loopback interface. It is stopped with {@link
 * #close}, and killed when it does not stop. For one thread.
 */
public final class ServerProcess implements AutoCloseable {

  private static final long START_NANOS = 120_000_000_000L;
  private static final int STOP_SECONDS = 120;
  private static final int OUTPUT_CHARACTERS = 2000;
  private static final int POLL_MILLIS = 1;
  private static final int FIRST_PORT = 20_000;
  private static final int END_OF_PORTS = 32_768;
  private static final int MAX_PORTS = 1000;

  private final String name;
  private final Process process;
  private final InetSocketAddress address;
  private final Path output;
  private final long startedNanos;
  private final ProcessUsage usage;

  private ServerProcess(
      String name, Process process, InetSocketAddress address, Path output, long startedNanos) {
    this.name = name;
    this.process = process;
    this.address = address;
    this.output = output;
    this.startedNanos = startedNanos;
    this.usage = new ProcessUsage(process.pid());
  }

  /**
   * Starts one. It need not listen yet when this returns.
   *
   * @param name for messages
   * @param command with its arguments
   * @param port that the command makes it listen at
   * @param output the file that takes what it prints; replaced
   */
  public static ServerProcess start(String name, List<String> command, int port, Path output)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    long started = System.nanoTime();
    return new ServerProcess(name, builder.start(), address, output, started);
  }

  /**
   * Returns a port that was free just now. It lies below the ports that systems give to outgoing
   * connections: one of these could take it before the server does.
   */
  public static int freePort() throws IOException {
    for (int i = 0; i < MAX_PORTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException _) {
        // Another program has it.
      }
    }
    throw new IOException(
        "none of %d ports between %d and %d is free"
            .formatted(MAX_PORTS, FIRST_PORT, END_OF_PORTS - 1));
  }

  /** Waits until it accepts connections. */
  public ServerProcess awaitListening() throws InterruptedException {
    try (SocketChannel channel = connect()) {
      if (!channel.isConnected()) {
        throw new LoadException(name + " does not listen: " + lastWords());
      }
    } catch (IOException e) {
      throw new LoadException(name + " does not listen: " + lastWords(), e);
    }
    return this;
  }

  /** Connects as soon as the server listens. */
  public SocketChannel connect() throws InterruptedException {
    long deadline = System.nanoTime() + START_NANOS;
    while (true) {
      try {
        SocketChannel channel = SocketChannel.open(address);
        if (!channel.getLocalAddress().equals(address)) {
          return channel;
        }
        channel.close(); // TCP connects a socket to itself if it was given this port as its own
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() - deadline > 0) {
          throw new LoadException(name + " does not listen: " + lastWords(), e);
        }
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Returns how it is called in messages. */
  public String name() {
    return name;
  }

  /** Returns where it listens, or will. */
  public InetSocketAddress address() {
    return address;
  }

  /** Returns when it was started, by {@link System#nanoTime}. */
  public long startedNanos() {
    return startedNanos;
  }

  /** Returns what the kernel counts of it. */
  public ProcessUsage usage() {
    return usage;
  }

  /** Returns its number. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Sends a signal by its name, for instance {@code USR1}. */
  private void signal(String signal) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new LoadException("signal " + signal + " did not reach " + name + ": " + lastWords());
    }
  }

  /** Kills it as {@code kill -9} does, and waits until it is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Asks it to stop with a signal, for instance {@code TERM}, and waits until it has. */
  public void stop(String signal) throws IOException, InterruptedException {
    signal(signal);
    awaitEnd();
  }

  private void awaitEnd() throws InterruptedException {
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new LoadException("%s did not end within %d s".formatted(name, STOP_SECONDS));
    }
  }

  /** Returns whether it runs, how it ended, and what it printed. */
  public String lastWords() {
    String state =
        process.isAlive() ? "it still runs" : "it ended with exit code " + process.exitValue();
    try {
      String printed = Files.readString(output, StandardCharsets.UTF_8).strip();
      String end =
          printed.substring(Math.max(0, printed.length() - OUTPUT_CHARACTERS), printed.length());
      return end.isEmpty() ? state : state + "; it printed: " + end;
    } catch (IOException e) {
      return state + "; its output cannot be read: " + e.getMessage();
    }
  }

  /** Stops it if it runs; kills it if it does not stop, or if this thread is interrupted. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
