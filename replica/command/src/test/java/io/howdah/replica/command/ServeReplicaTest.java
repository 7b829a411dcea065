package io.howdah.replica.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.cli.Main;
import io.howdah.replica.store.ReplicaGroup;
import io.howdah.replica.store.ReplicatedStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah serve --replica} in three processes, whose leader is killed. */
@Timeout(300)
class ServeReplicaTest {

  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final int PIPELINE = 20_000;
  private static final int READ_MILLIS = 60_000;

  @TempDir private Path directory;

  private final Map<String, Server> servers = new TreeMap<>();

  /** A process, and the port of its clients. */
  private record Server(Process process, int port, Path err) {}

  /** A client of one member, as libraries of clients are: it connects again when it has to. */
  private final class Client implements AutoCloseable {

    private final String member;
    private Socket socket;
    private BufferedReader replies;

    Client(String member) throws IOException {
      this.member = member;
      connect();
    }

    private void connect() throws IOException {
      socket =
          new Socket(
              InetAddress.getLoopbackAddress(), Objects.requireNonNull(servers.get(member)).port());
      socket.setSoTimeout(READ_MILLIS);
      replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    /** Returns the next line; an empty one if the connection has ended. */
    String line() {
      try {
        return Objects.requireNonNullElse(replies.readLine(), "");
      } catch (IOException e) {
        return "";
      }
    }

    /** Stores an item, and repeats that until it is acknowledged. */
    void set(String key) throws IOException {
      while (true) {
        try {
          send("set " + key + " 0 0 " + key.length() + "\r\n" + key + "\r\n");
          if ("STORED".equals(line())) {
            return;
          }
        } catch (IOException e) {
          // The connection has ended.
        }
        socket.close();
        connect();
      }
    }

    /** Returns which of some items are there. */
    Set<String> get(Set<String> keys) throws IOException {
      send("get " + String.join(" ", keys) + "\r\n");
      Set<String> found = new TreeSet<>();
      for (String line = line(); line.startsWith("VALUE "); line = line()) {
        String key = line.substring("VALUE ".length(), line.indexOf(' ', "VALUE ".length()));
        assertThat(line()).isEqualTo(key);
        found.add(key);
      }
      return found;
    }

    String statistic(String name) throws IOException {
      send("stats\r\n");
      String value = "";
      for (String line = line(); !line.equals("END") && !line.isEmpty(); line = line()) {
        if (line.startsWith("STAT " + name + " ")) {
          value = line.substring(line.lastIndexOf(' ') + 1);
        }
      }
      return value;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @BeforeEach
  void createMembers() throws IOException {
    StringBuilder text = new StringBuilder("cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11\n");
    List<ServerSocket> free = new ArrayList<>();
    for (String kind : List.of("peer", "http", "relay")) {
      for (String name : MEMBERS) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        free.add(socket);
        text.append("%s.%s = 127.0.0.1:%d%n".formatted(kind, name, socket.getLocalPort()));
      }
    }
    for (ServerSocket socket : free) {
      socket.close();
    }
    Path secret = directory.resolve("secret");
    Files.writeString(secret, "0123456789abcdef");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(group(), text + "secret-file = secret\nmax-size = 268435456\n");
    for (String name : MEMBERS) {
      ReplicatedStore.create(directory.resolve(name), ReplicaGroup.read(group()), name);
    }
  }

  private Path group() {
    return directory.resolve("group.properties");
  }

  private void start(String name) throws IOException {
    Path err = directory.resolve(name + ".err");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            directory.resolve(name).toString(),
            "--replica=" + name,
            "--group",
            group().toString(),
            "--reads",
            name.equals("b") ? "linearizable" : "leader",
            "-p",
            "0");
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(err.toFile()))
            .start();
    servers.put(name, new Server(process, 0, err));
    BufferedReader out = process.inputReader(UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("howdah: listening on ")) {
        int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
        servers.put(name, new Server(process, port, err));
      } else if (line.startsWith("howdah: ready: mode sync")) {
        return;
      }
    }
    throw new AssertionError("member " + name + " ended: " + Files.readString(err));
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (Server server : servers.values()) {
      server.process().destroyForcibly().waitFor();
    }
  }

  @Test
  void whatAnyMemberHasAcknowledgedIsThereAfterTheLeaderIsKilled() throws Exception {
    for (String name : MEMBERS) {
      start(name);
    }
    String leader;
    try (Client any = new Client("a")) {
      any.set("first");
      leader = any.statistic("howdah_replica_leader");
    }
    assertThat(MEMBERS).contains(leader);
    List<String> followers = MEMBERS.stream().filter(name -> !name.equals(leader)).toList();
    Set<String> acknowledged = new TreeSet<>(List.of("first"));
    try (Client client = new Client(followers.getFirst());
        Client other = new Client(followers.getLast())) {
      for (int i = 0; i < 50; i++) {
        client.set("before" + i);
        acknowledged.add("before" + i);
      }
      // A pipeline is under way while the leader is killed.
      Thread writer = Thread.ofPlatform().start(() -> writePipeline(other));
      String reply = other.line();
      int stored = 0;
      for (; !reply.isEmpty() && stored < PIPELINE; reply = other.line()) {
        assertThat(reply).as("a reply promises what is so").isEqualTo("STORED");
        acknowledged.add("pipe" + stored++);
        if (stored == 1000) {
          Objects.requireNonNull(servers.get(leader)).process().destroyForcibly().waitFor();
        }
      }
      assertThat(stored).as("the connection ends with the leader").isBetween(1000, PIPELINE - 1);
      writer.join();
      for (int i = 0; i < 50; i++) {
        client.set("after" + i);
        acknowledged.add("after" + i);
      }
      assertThat(client.statistic("howdah_replica_leader")).isIn(followers);
      assertThat(client.get(acknowledged)).isEqualTo(acknowledged);
    }
    start(leader);
    try (Client client = new Client(leader)) {
      client.set("again");
      acknowledged.add("again");
      assertThat(client.get(acknowledged)).isEqualTo(acknowledged);
    }
    for (Server server : servers.values()) {
      server.process().destroy();
      assertThat(server.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readAllLines(server.err()))
          .as("standard error")
          .allMatch(line -> line.contains("knows no leader"), "only of a slow election");
    }
  }

  private static void writePipeline(Client client) {
    try {
      for (int i = 0; i < PIPELINE; i++) {
        client.send("set pipe" + i + " 0 0 " + ("pipe" + i).length() + "\r\npipe" + i + "\r\n");
      }
    } catch (IOException e) {
      // The connection has ended.
    }
  }
}
