package io.howdah.replica.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.replica.NotLeaderException;
import io.howdah.replica.node.SnapshotSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a member tells over HTTP, and to whom. */
@Timeout(60)
class PeerEndpointTest {

  private static final String SECRET = "0123456789abcdef";

  @TempDir private Path directory;

  private ReplicaGroup group;
  private ReplicatedStore replica;

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  @BeforeEach
  void open() throws IOException {
    Path secret = directory.resolve("secret");
    Files.writeString(secret, SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Path file = directory.resolve("group.properties");
    Files.writeString(
        file,
        """
        cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a19
        peer.a = 127.0.0.1:1
        http.a = 127.0.0.1:%d
        secret-file = secret
        max-size = 16777216
        partitions = 2
        """
            .formatted(freePort()));
    group = ReplicaGroup.read(file);
    ReplicatedStore.create(directory.resolve("a"), group, "a");
    replica = ReplicatedStore.open(directory.resolve("a"), group, "a");
    assertThat(replica.awaitLeader(Duration.ofSeconds(30))).isTrue();
  }

  @AfterEach
  void close() {
    replica.close();
  }

  private HttpURLConnection get(String path, String authorization) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://" + Objects.requireNonNull(group.http().get("a")) + path)
                .toURL()
                .openConnection();
    if (!authorization.isEmpty()) {
      connection.setRequestProperty("Authorization", authorization);
    }
    return connection;
  }

  private static String text(InputStream stream) throws IOException {
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aMemberTellsItsStateAndWhetherItLeads() throws Exception {
    HttpURLConnection leader = get("/leader", "");
    assertThat(leader.getResponseCode()).isEqualTo(200);
    assertThat(text(leader.getInputStream())).isEqualTo("leader a\n");
    assertThat(text(get("/status", "").getInputStream()))
        .contains("role leader", "leader a", "readable yes", "snapshots 0")
        .doesNotContain("problem");
    assertThat(get("/other", "").getResponseCode()).isEqualTo(404);
  }

  @Test
  void aSnapshotIsForThoseWhoKnowTheSecret() throws Exception {
    for (String shown : new String[] {"", "Bearer", "Bearer 0123456789abcdeg", SECRET}) {
      assertThat(get("/snapshot", shown).getResponseCode()).as(shown).isEqualTo(403);
    }
    SnapshotSource wrong = PeerEndpoint.source("b", group.http(), SECRET + "0");
    assertThatThrownBy(() -> wrong.open("a"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("answers 403 the secret of the group is needed");
  }

  /** Clients that send half a request, and no more, keep no other client from its answer. */
  @Test
  void clientsThatAreSilentWithinARequestDoNotHoldUpOthers() throws Exception {
    String address = Objects.requireNonNull(group.http().get("a"));
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        silent.add(socket);
        String half =
            i % 2 == 0
                ? "GET /sta"
                : "POST /transfer HTTP/1.1\r\nAuthorization: Bearer "
                    + SECRET
                    + "\r\nContent-Length: 10\r\n\r\nb";
        socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
      }
      for (int i = 0; i < 5; i++) {
        HttpURLConnection status = get("/status", "");
        status.setReadTimeout(20_000);
        assertThat(text(status.getInputStream())).contains("role leader");
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** Any bytes: an answer, or the end of the connection; and the member goes on. */
  @Test
  void anyBytesGetAnAnswerOrTheEnd() throws Exception {
    String address = Objects.requireNonNull(group.http().get("a"));
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    byte[] request =
        ("POST /replace HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                + SECRET
                + "\r\nContent-Length: 14\r\nConnection: close\r\n\r\nc\na\n127.0.0.1:")
            .getBytes(StandardCharsets.US_ASCII);
    for (int run = 0; run < 200; run++) {
      SplittableRandom random = new SplittableRandom(run);
      byte[] bytes = Arrays.copyOf(request, random.nextInt(1, request.length + 1));
      for (int change = random.nextInt(4); change > 0; change--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(10_000);
      } catch (SocketException e) {
        // It was reset: bytes behind the request were not read.
      }
    }
    assertThat(replica.failure()).isNull();
    assertThat(replica.isLeading()).isTrue();
  }

  @Test
  void theLeaderIsAskedFirst() {
    SnapshotSource source =
        PeerEndpoint.source("b", Map.of("a", "x:1", "b", "x:2", "c", "x:3"), SECRET);
    assertThat(source.members(null)).containsExactly("a", "c");
    assertThat(source.members("c")).containsExactly("c", "a");
    assertThat(source.members("b")).containsExactly("a", "c");
  }

  @Test
  void aSnapshotHasWhatWasCommitted() throws Exception {
    replica
        .leader()
        .run(
            tx -> {
              long block = tx.allocate(64);
              tx.root(1, block);
              tx.putLong(block, 0x6162636465666768L); // little-endian
            });
    byte[] bytes;
    try (InputStream stream = PeerEndpoint.source("b", group.http(), SECRET).open("a")) {
      bytes = stream.readAllBytes();
    }
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("hgfedcba");
  }

  /** Two at a time are sent; one whose reader has gone gives its place back. */
  @Test
  void snapshotsThatBreakOffLeaveTheirPlaces() throws Exception {
    replica
        .leader()
        .run(
            tx -> {
              for (int root = 1; root <= 60; root++) {
                long block = tx.allocate(1 << 16);
                tx.root(root, block);
                for (int at = 0; at < 1 << 16; at += 512) {
                  tx.putLong(block + at, root);
                }
              }
            });
    String address = Objects.requireNonNull(group.http().get("a"));
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    for (int i = 0; i < 3; i++) {
      try (Socket socket = new Socket()) {
        socket.setReceiveBufferSize(1024); // most of it is not sent before this side has gone
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket
            .getOutputStream()
            .write(
                ("GET /snapshot HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                        + SECRET
                        + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        socket.setSoLinger(true, 0); // a reset
      }
    }
    long started = System.nanoTime();
    int code = 0;
    while (code != 200) { // until the last of them has noticed
      assertThat(System.nanoTime() - started).as("nanoseconds").isLessThan(20_000_000_000L);
      Thread.sleep(20);
      HttpURLConnection whole = get("/snapshot", "Bearer " + SECRET);
      code = whole.getResponseCode();
      whole.disconnect();
    }
  }

  @Test
  void commandsAreForThoseWhoKnowTheSecret() throws Exception {
    GroupClient client = new GroupClient(group);
    assertThat(client.status().get("a")).get().asString().contains("role leader");
    assertThatThrownBy(() -> client.transfer("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name another one");
    assertThatThrownBy(() -> client.transfer("b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("b is not a member");
    assertThatThrownBy(() -> client.replace("c", "d"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("d is not a member");
    assertThatThrownBy(() -> client.replace("c", "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the new name is one that no member ever had");
    HttpURLConnection post = get("/transfer", "Bearer wrong");
    post.setRequestMethod("POST");
    assertThat(post.getResponseCode()).isEqualTo(403);
    HttpURLConnection empty = get("/transfer", "Bearer " + SECRET);
    empty.setRequestMethod("POST");
    assertThat(empty.getResponseCode()).isEqualTo(400);
    assertThat(replica.isLeading()).isTrue();
  }

  @Test
  void aGroupWithoutALeaderIsTold() {
    replica.close();
    GroupClient client = new GroupClient(group);
    assertThat(client.status().get("a")).isEmpty();
    assertThatThrownBy(() -> client.transfer("a"))
        .isInstanceOf(NotLeaderException.class)
        .hasMessageContaining("no member of the group leads");
    assertThatThrownBy(
            () ->
                new GroupClient(
                    ReplicaGroup.parse(
                        "f",
                        "cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a19\npeer.a = 127.0.0.1:1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no addresses http.NAME");
  }
}
