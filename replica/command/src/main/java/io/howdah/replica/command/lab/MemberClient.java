package io.howdah.replica.command.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection to each member. For one thread. */
final class MemberClient implements AutoCloseable {

  private final Group group;
  private final int timeoutMillis;
  private final @Nullable Connection[] connections = new Connection[Group.NAMES.size()];

  /** A connection to one process. */
  private record Connection(int number, Socket socket, BufferedReader lines) {}

  /**
   * An answer.
   *
   * @param isSent whether the member may have read the question
   * @param process number of the process that was asked
   * @param words of the answer, or none if none came
   */
  record Answer(boolean isSent, int process, List<String> words) {

    boolean is(String word) {
      return !words.isEmpty() && words.getFirst().equals(word);
    }

    long number() {
      return Long.parseLong(words.get(1));
    }
  }

  MemberClient(Group group, int timeoutMillis) {
    this.group = group;
    this.timeoutMillis = timeoutMillis;
  }

  /** Asks a member; its connection is closed if no answer comes. */
  Answer ask(int member, String question) {
    Group.Running running = group.running(Group.NAMES.get(member));
    int port = running.port().getNow(0);
    boolean isSent = false;
    try {
      Connection connection = connections[member];
      if (connection == null || connection.number() != running.number()) {
        close(member);
        if (port == 0) {
          return new Answer(false, running.number(), List.of());
        }
        connection = connect(running.number(), port);
        connections[member] = connection;
      }
      isSent = true;
      connection
          .socket()
          .getOutputStream()
          .write((question + "\n").getBytes(StandardCharsets.US_ASCII));
      String line = connection.lines().readLine();
      if (line != null) {
        return new Answer(true, running.number(), List.of(line.split(" ")));
      }
    } catch (IOException e) {
      // No answer.
    }
    close(member);
    return new Answer(isSent, running.number(), List.of());
  }

  private Connection connect(int number, int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeoutMillis);
      return new Connection(
          number,
          socket,
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void close(int member) {
    Connection connection = connections[member];
    connections[member] = null;
    if (connection != null) {
      try {
        connection.socket().close();
      } catch (IOException e) {
        // It is of no use any more.
      }
    }
  }

  @Override
  public void close() {
    for (int i = 0; i < connections.length; i++) {
      close(i);
    }
  }
}
