package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.StoreFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of a group whose members the test makes leaders and followers. */
@Timeout(120)
final class RelayTest {

  private static final int READ_TIMEOUT_MILLIS = 20_000;
  private static final String NO_LEADER =
      "SERVER_ERROR no leader of the replica group is known; nothing was executed\r\n";

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  /** A member of whose role the test tells the server. */
  private static final class FakeMember implements GroupMember {

    final InetSocketAddress address;
    final Semaphore asked = new Semaphore(0);
    volatile CompletableFuture<@Nullable Void> confirmation =
        CompletableFuture.completedFuture(null);
    private @Nullable Listener listener;
    boolean isClosed;

    FakeMember() throws IOException {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        address = (InetSocketAddress) free.getLocalSocketAddress();
      }
    }

    Listener listener() {
      return Objects.requireNonNull(listener);
    }

    @Override
    public String name() {
      return "a";
    }

    @Override
    public @Nullable String leaderName() {
      return null;
    }

    @Override
    public long position() {
      return 7;
    }

    @Override
    public long maxSizeBytes() {
      return 1 << 28;
    }

    @Override
    public InetSocketAddress relayAddress() {
      return address;
    }

    @Override
    public void start(Listener listener) {
      this.listener = listener;
    }

    @Override
    public CompletionStage<@Nullable Void> confirm(Store store) {
      asked.release();
      return confirmation;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private Server server(FakeMember member, ServerOptions options, int waitMillis) {
    Server server = new Server(() -> member, options, waitMillis);
    opened.add(server);
    return server;
  }

  private static ServerOptions options() {
    return ServerTest.options(ReplyMode.SYNC, 100);
  }

  private Store store() {
    Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 27));
    opened.addFirst(store);
    return store;
  }

  private Socket connect(Server server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    opened.add(socket);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  private static void expect(Socket socket, String text) throws IOException {
    byte[] got = socket.getInputStream().readNBytes(text.length());
    assertThat(new String(got, ISO_8859_1)).isEqualTo(text);
  }

  private static void expectEnd(Socket socket) throws IOException {
    assertThat(socket.getInputStream().readAllBytes()).isEmpty();
  }

  private static Map<String, String> statistics(Server server) {
    Map<String, String> rows = new HashMap<>();
    server.statistics(rows::put);
    return rows;
  }

  @Test
  void clientsOfAFollowerAreServedByTheLeader() throws Exception {
    FakeMember a = new FakeMember();
    FakeMember b = new FakeMember();
    Server leader = server(a, options(), 10_000);
    Server follower = server(b, options(), 10_000);
    a.listener().leads(store());
    b.listener().follows(a.address);
    Socket client = connect(follower);
    send(client, "set a 0 0 1\r\nx\r\nget a\r\n");
    expect(client, "STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n");
    Socket other = connect(leader);
    send(other, "get a\r\n");
    expect(other, "VALUE a 0 1\r\nx\r\nEND\r\n");
    assertThat(statistics(leader))
        .containsEntry("howdah_replica_role", "leader")
        .containsEntry("howdah_replica_position", "7")
        .containsEntry("howdah_relayed_connections", "0")
        .containsEntry("curr_items", "1");
    assertThat(statistics(follower))
        .containsEntry("howdah_replica_role", "follower")
        .containsEntry("howdah_relayed_connections", "1")
        .doesNotContainKey("curr_items");
    send(client, "quit\r\n");
    expectEnd(client);
    // The binary protocol: a no-op.
    Socket binary = connect(follower);
    send(binary, "\u0080\n" + "\0".repeat(22));
    expect(binary, "\u0081\n" + "\0".repeat(22));
  }

  @Test
  void aLongPipelineAndItsRepliesPassInBothDirections() throws Exception {
    FakeMember a = new FakeMember();
    FakeMember b = new FakeMember();
    Server _ = server(a, options(), 10_000);
    Server follower = server(b, options(), 10_000);
    a.listener().leads(store());
    b.listener().follows(a.address);
    Socket client = connect(follower);
    String value = "0123456789".repeat(20_000);
    int count = 100;
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int i = 0; i < count; i++) {
                      send(client, "set a 0 0 200000\r\n" + value + "\r\nget a\r\n");
                    }
                    client.shutdownOutput(); // and still reads
                  } catch (IOException _) {
                    // the reader will miss what was not sent
                  }
                });
    for (int i = 0; i < count; i++) {
      expect(client, "STORED\r\nVALUE a 0 200000\r\n" + value + "\r\nEND\r\n");
    }
    expectEnd(client);
    writer.join();
  }

  /** More than what the buffers of four sockets hold. */
  private static final int FLOOD_BYTES = 64 << 20;

  /** A side that sends until it is told to end, however slowly the other side takes it. */
  private static final class Flood {
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean isEnding;
    private final Thread thread;

    Flood(Socket to) {
      thread =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    byte[] piece = new byte[1 << 14];
                    try {
                      while (!isEnding && sent.get() < FLOOD_BYTES) {
                        Arrays.fill(piece, (byte) (sent.get() >> 14));
                        to.getOutputStream().write(piece);
                        sent.addAndGet(piece.length);
                      }
                      to.shutdownOutput();
                    } catch (IOException _) {
                      // the reader will miss what was not sent
                    }
                  });
    }

    /** Waits until nothing more is taken for a while, or all was. */
    void awaitStandstill() {
      long last = -1;
      for (int same = 0; same < 100 && sent.get() < FLOOD_BYTES; same++) {
        long now = sent.get();
        same = now == last ? same : 0;
        last = now;
        LockSupport.parkNanos(1_000_000);
      }
    }

    /** Takes everything, and compares it. */
    void requireAllAt(Socket from) throws Exception {
      isEnding = true;
      byte[] piece = new byte[1 << 14];
      byte[] expected = new byte[1 << 14];
      long taken = 0;
      for (int n; (n = from.getInputStream().readNBytes(piece, 0, piece.length)) > 0; taken += n) {
        Arrays.fill(expected, (byte) (taken >> 14));
        assertThat(Arrays.equals(piece, 0, n, expected, 0, n)).as("bytes from %d", taken).isTrue();
      }
      thread.join();
      assertThat(taken).isEqualTo(sent.get());
    }
  }

  /** Whoever does not read makes the other side wait, and does not fill the memory of the relay. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSideThatDoesNotReadMakesTheOtherWait(boolean isTheLeader) throws Exception {
    FakeMember member = new FakeMember();
    Server follower = server(member, options(), 10_000);
    try (ServerSocket leader = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      member.listener().follows((InetSocketAddress) leader.getLocalSocketAddress());
      Socket client = connect(follower);
      try (Socket relayed = leader.accept()) {
        relayed.setSoTimeout(READ_TIMEOUT_MILLIS);
        Flood flood = new Flood(isTheLeader ? client : relayed);
        flood.awaitStandstill();
        assertThat(flood.sent.get()).isLessThan(FLOOD_BYTES);
        flood.requireAllAt(isTheLeader ? relayed : client);
      }
    }
  }

  @Test
  void aChangeOfTheLeaderEndsConnectionsAndNewOnesGoToTheNewOne() throws Exception {
    FakeMember a = new FakeMember();
    FakeMember b = new FakeMember();
    FakeMember c = new FakeMember();
    Server first = server(a, options(), 10_000);
    Server second = server(b, options(), 10_000);
    Server follower = server(c, options(), 10_000);
    a.listener().leads(store());
    c.listener().follows(a.address);
    Socket client = connect(follower);
    Socket atLeader = connect(first);
    for (Socket each : List.of(client, atLeader)) {
      send(each, "set a 0 0 1\r\nx\r\n");
      expect(each, "STORED\r\n");
    }
    c.listener().follows(null); // those that are served stay: the leader may be there
    send(client, "mn\r\n");
    expect(client, "MN\r\n");
    a.listener().follows(null);
    b.listener().leads(store());
    c.listener().follows(b.address);
    a.listener().follows(b.address);
    expectEnd(client);
    expectEnd(atLeader);
    for (Server each : List.of(first, second, follower)) {
      Socket next = connect(each);
      send(next, "add " + each.address().getPort() + " 0 0 1\r\nx\r\nget a\r\n");
      expect(next, "STORED\r\nEND\r\n"); // the stores of this test are not replicas
    }
    // The follower itself becomes the leader.
    b.listener().follows(c.address);
    c.listener().leads(store());
    Socket next = connect(second);
    send(next, "set b 0 0 1\r\nx\r\n");
    expect(next, "STORED\r\n");
    assertThat(statistics(follower)).containsEntry("curr_items", "1");
  }

  @Test
  void withoutALeaderNothingIsExecutedAndTheClientIsTold() throws Exception {
    FakeMember a = new FakeMember();
    Server server = server(a, options(), 100);
    Socket client = connect(server);
    send(client, "set a 0 0 1\r\nx\r\n");
    expect(client, NO_LEADER);
    client.shutdownOutput();
    expectEnd(client);
    // A leader that does not accept is none.
    FakeMember gone = new FakeMember();
    a.listener().follows(gone.address);
    Socket other = connect(server);
    send(other, "set a 0 0 1\r\nx\r\n");
    expect(other, NO_LEADER);
    a.listener().leads(store());
    Socket last = connect(server);
    send(last, "get a\r\n");
    expect(last, "END\r\n");
  }

  @Test
  void aConnectionWaitsForALeader() throws Exception {
    FakeMember a = new FakeMember();
    FakeMember b = new FakeMember();
    Server _ = server(a, options(), 60_000);
    Server follower = server(b, options(), 60_000);
    Socket open = connect(follower);
    send(open, "set a 0 0 1\r\nx\r\n");
    Socket ended = connect(follower);
    send(ended, "set b 0 0 1\r\ny\r\n");
    ended.shutdownOutput();
    awaitRelayed(follower, 2);
    a.listener().leads(store());
    b.listener().follows(a.address);
    expect(open, "STORED\r\n");
    expect(ended, "STORED\r\n");
    expectEnd(ended);
  }

  @Test
  void aConnectionThatWaitsIsServedHereOnceThisMemberLeads() throws Exception {
    FakeMember a = new FakeMember();
    Server server = server(a, options(), 60_000);
    Socket open = connect(server);
    send(open, "set a 0 0 1\r\nx\r\n");
    Socket ended = connect(server);
    send(ended, "set b 0 0 1\r\ny\r\n");
    ended.shutdownOutput();
    awaitRelayed(server, 2);
    a.listener().leads(store());
    expect(open, "STORED\r\n");
    expect(ended, "STORED\r\n");
    expectEnd(ended);
    awaitRelayed(server, 0);
  }

  /** A former leader would let the client wait until it hears of the present one. */
  @Test
  void aConnectionThatReachesAFormerLeaderGoesToThePresentOne() throws Exception {
    FakeMember member = new FakeMember();
    Server server = server(member, options(), 10_000);
    try (ServerSocket former = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> inTheWay = new ArrayList<>();
      for (int i = 0; i < 2; i++) { // so that the next one is not made yet
        inTheWay.add(new Socket(former.getInetAddress(), former.getLocalPort()));
      }
      member.listener().follows((InetSocketAddress) former.getLocalSocketAddress());
      Socket client = connect(server);
      awaitRelayed(server, 1);
      member.listener().leads(store());
      for (Socket each : inTheWay) {
        former.accept().close();
        each.close();
      }
      send(client, "set a 0 0 1\r\nx\r\n");
      expect(client, "STORED\r\n");
      awaitRelayed(server, 0);
    }
  }

  private static void awaitRelayed(Server server, int count) {
    while (!Objects.equals(
        statistics(server).get("howdah_relayed_connections"), Integer.toString(count))) {
      Thread.onSpinWait();
    }
  }

  @Test
  void membersThatTakeEachOtherForTheLeaderDoNotPassAConnectionToAndFro() throws Exception {
    FakeMember a = new FakeMember();
    FakeMember b = new FakeMember();
    Server one = server(a, options(), 100);
    Server other = server(b, options(), 100);
    a.listener().follows(b.address);
    b.listener().follows(a.address);
    Socket client = connect(one);
    send(client, "get a\r\n");
    expect(client, NO_LEADER);
    assertThat(statistics(one)).containsEntry("total_connections", "1");
    assertThat(statistics(other)).containsEntry("total_connections", "1");
  }

  @Test
  void repliesThatWaitWhenLeadershipIsLostAreNotSent() throws Exception {
    FakeMember a = new FakeMember();
    FakeMember b = new FakeMember();
    Server leader = server(a, options().withConfirmedReplies(true), 10_000);
    Server follower = server(b, options(), 10_000);
    a.listener().leads(store());
    b.listener().follows(a.address);
    Socket before = connect(leader);
    send(before, "get a\r\n");
    expect(before, "END\r\n");
    a.asked.acquire();
    a.confirmation = new CompletableFuture<>();
    Socket direct = connect(leader);
    Socket passed = connect(follower);
    for (Socket each : List.of(direct, passed)) {
      send(each, "set a 0 0 1\r\nx\r\nget a\r\n".repeat(10));
    }
    a.asked.acquire(2); // the replies of both wait
    a.listener().follows(null);
    a.confirmation.completeExceptionally(new StoreFailedException("made by the test"));
    expectEnd(direct);
    expectEnd(passed);
  }

  @Test
  void aReplyThatIsNotConfirmedIsNotSent() throws Exception {
    FakeMember a = new FakeMember();
    Server leader = server(a, options().withConfirmedReplies(true), 10_000);
    a.listener().leads(store());
    a.confirmation = new CompletableFuture<>();
    Socket client = connect(leader);
    send(client, "get a\r\n");
    a.asked.acquire();
    a.confirmation.completeExceptionally(new StoreFailedException("made by the test"));
    expectEnd(client);
  }

  @Test
  void optionsThatDoNotFitAGroupAreRefused() throws Exception {
    FakeMember a = new FakeMember();
    assertThatThrownBy(() -> new Server(() -> a, options().withMode(ReplyMode.PERIODIC)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mode sync or async, not periodic");
    assertThat(a.isClosed).isTrue();
    assertThatThrownBy(() -> new Server(() -> a, options().withMaxBytes(1 << 27)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max-size of the group is 268435456");
  }

  @Test
  void aMemberThatHasFailedEndsTheServer() throws Exception {
    FakeMember a = new FakeMember();
    Server server = server(a, options(), 100);
    a.listener().leads(store());
    a.listener().failed(new StoreFailedException("made by the test"));
    assertThat(server.shutdownRequested()).isCompletedExceptionally();
  }
}
