package io.howdah.replica.command.demo;

import io.howdah.Store;
import io.howdah.core.HowdahException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.replica.node.ReplicaNode;
import io.howdah.replica.store.ReadMode;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.txn.Tx;
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
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A service in three processes, as a program with a replicated store is written: counters, each
 * with the numbers of the operations that have counted last. It answers lines of text on a port of
 * the loopback interface:
 *
 * <pre>
 * add COUNTER OPERATION   ok VALUE | no LEADER (it has not happened) | unknown REASON
 * newest COUNTER          ok VALUE | no LEADER | unknown REASON
 * local COUNTER           ok VALUE | behind
 * last COUNTER            ok VALUE OPERATION ..., of the newest state, the operation of the value first
 * position, digest        ok POSITION, ok POSITION HASH | behind
 * leads                   ok true | ok false
 * checkpoint              ok | unknown REASON
 * </pre>
 *
 * It ends when its standard input does.
 */
final class CounterMember {

  /** How many operations each counter knows. */
  static final int KNOWN = 2048;

  private static final int BACKLOG = 64;
  private static final String UNKNOWN_LEADER = "?";

  /** Of gRPC, which tells of every connection that breaks. A field, or its level would be lost. */
  private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  private final ReplicatedStore replica;

  private CounterMember(ReplicatedStore replica) {
    this.replica = replica;
  }

  /** Arguments: the member's name, its directory, and the group file. */
  public static void main(String[] args) throws IOException {
    GRPC.setLevel(Level.OFF);
    Path directory = Path.of(args[1]);
    ReplicaGroup group = ReplicaGroup.read(Path.of(args[2]));
    if (!Files.exists(directory)) {
      ReplicatedStore.create(directory, group, args[0]);
    }
    try (ServerSocket port = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        ReplicatedStore replica = ReplicatedStore.open(directory, group, args[0])) {
      CounterMember member = new CounterMember(replica);
      Thread.ofPlatform().daemon().start(() -> member.serve(port));
      System.out.println("port " + port.getLocalPort());
      InputStream input = System.in;
      while (input.read() >= 0 && replica.failure() == null) {
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
    try {
      return "ok " + result(words);
    } catch (NotLeaderException e) {
      String leader = replica.knownLeader();
      return "no " + (leader == null ? UNKNOWN_LEADER : leader);
    } catch (ReplicaBehindException e) {
      return "behind";
    } catch (HowdahException e) {
      return "unknown " + String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }

  private String result(String[] words) {
    switch (words[0]) {
      case "add" -> {
        Store store = replica.leader();
        int counter = Integer.parseInt(words[1]);
        long operation = Long.parseLong(words[2]);
        return Long.toString(store.call(tx -> add(tx, counter, operation)));
      }
      case "newest", "local" -> {
        int counter = Integer.parseInt(words[1]);
        ReadMode mode = words[0].equals("newest") ? ReadMode.NEWEST : ReadMode.LOCAL;
        return Long.toString(replica.read(mode, tx -> value(tx, counter)));
      }
      case "last" -> {
        int counter = Integer.parseInt(words[1]);
        return replica.read(ReadMode.NEWEST, tx -> last(tx, counter));
      }
      case "position" -> {
        return Long.toString(replica.position());
      }
      case "digest" -> {
        ReplicaNode.Digest digest = replica.digest();
        return digest.index() + " " + digest.hash();
      }
      case "leads" -> {
        return Boolean.toString(replica.isLeading());
      }
      case "checkpoint" -> {
        replica.checkpoint();
        return "";
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private static long value(Tx tx, int counter) {
    long address = tx.root(counter);
    return address == 0 ? 0 : tx.getLong(address);
  }

  /** Returns the address of the operation that has made a value of the counter at an address. */
  private static long operation(long address, long value) {
    return address + Long.BYTES * (1 + value % KNOWN);
  }

  private static long add(Tx tx, int counter, long operation) {
    long address = tx.root(counter);
    if (address == 0) {
      address = tx.allocate(Long.BYTES * (1L + KNOWN));
      tx.root(counter, address);
    }
    long value = tx.getLong(address) + 1;
    tx.putLong(address, value);
    tx.putLong(operation(address, value), operation);
    return value;
  }

  private static String last(Tx tx, int counter) {
    long value = value(tx, counter);
    StringBuilder text = new StringBuilder(Long.toString(value));
    for (long v = value; v > Math.max(0, value - KNOWN); v--) {
      text.append(' ').append(tx.getLong(operation(tx.root(counter), v)));
    }
    return text.toString();
  }
}
