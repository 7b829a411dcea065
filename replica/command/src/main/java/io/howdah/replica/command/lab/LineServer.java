package io.howdah.replica.command.lab;

import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A member of a group that answers lines of words with lines of words, on a port of the loopback
 * interface that it says: {@code ok RESULT}, {@code no LEADER} if nothing has happened since the
 * member does not lead, {@code behind}, or {@code unknown REASON}. It ends when its standard input
 * does.
 */
final class LineServer {

  private static final int BACKLOG = 64;
  private static final String UNKNOWN_LEADER = "?";

  /** Of gRPC, which tells of every connection that breaks. A field, or its level would be lost. */
  private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  private final ReplicatedStore replica;
  private final Function<String[], String> answers;

  private LineServer(ReplicatedStore replica, Function<String[], String> answers) {
    this.replica = replica;
    this.answers = answers;
  }

  /**
   * Runs a member.
   *
   * @param args the member's name, its directory, which is created if absent, and the group file
   * @param service returns what the member answers
   */
  static void run(
      String[] args, Function<ReplicatedStore, ? extends Function<String[], String>> service)
      throws IOException {
    GRPC.setLevel(Level.OFF);
    Path directory = Path.of(args[1]);
    ReplicaGroup group = ReplicaGroup.read(Path.of(args[2]));
    if (!Files.exists(directory)) {
      ReplicatedStore.create(directory, group, args[0]);
    }
    try (ServerSocket port = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        ReplicatedStore replica = ReplicatedStore.open(directory, group, args[0])) {
      LineServer server = new LineServer(replica, service.apply(replica));
      Thread.ofPlatform().daemon().start(() -> server.serve(port));
      System.out.println("port " + port.getLocalPort());
      InputStream input = System.in;
      while (input.read() >= 0) {
        // The process that has started this one says nothing, and closes it.
      }
    }
  }

  private void serve(ServerSocket port) {
    try {
      while (true) {
        Socket socket = port.accept();
        Thread.ofPlatform().daemon().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The process ends.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      PrintStream out = new PrintStream(socket.getOutputStream(), false, StandardCharsets.US_ASCII);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.print(answer(line.split(" ")) + "\n");
        out.flush();
      }
    } catch (IOException e) {
      // The client has gone.
    }
  }

  private String answer(String[] words) {
    Throwable failure = replica.failure();
    if (failure != null) {
      // On standard error it is a complaint, and the process is missed.
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    try {
      return "ok " + answers.apply(words);
    } catch (NotLeaderException | StoreClosedException e) {
      // A store that is handed over acknowledges what has committed, and refuses the rest.
      String leader = replica.knownLeader();
      return "no " + (leader == null ? UNKNOWN_LEADER : leader);
    } catch (ReplicaBehindException e) {
      return "behind";
    } catch (HowdahException e) {
      return "unknown " + String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }
}
