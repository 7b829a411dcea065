package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.Watchers;
import io.howdah.txn.Durability;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one client takes of what all may use. */
final class FairSharesTest {

  private static final long LIMIT = 1 << 20;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final CommandCounters counters = new CommandCounters();

  @TempDir Path folder;

  private static InetSocketAddress address(int host, int port) throws UnknownHostException {
    return new InetSocketAddress(
        InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), port);
  }

  @Test
  void anAddressThatDoesNotReadLeavesHalfToOthers() throws UnknownHostException {
    Connections all =
        new Connections(ConnectionLimits.DEFAULTS.withMaxBytes(LIMIT, LIMIT), counters);
    Peers.Peer deaf = all.peers().enter(address(1, 1000));
    assertThat(all.peers().enter(address(1, 1001))).isSameAs(deaf);
    Peers.Peer other = all.peers().enter(address(2, 1000));
    all.unsent(deaf, LIMIT / 2);
    assertThat(all.isUnsentFull(deaf)).isTrue();
    assertThat(all.isUnsentFull(other)).isFalse();
    all.unsent(other, LIMIT / 4);
    assertThat(all.isUnsentFull(other)).isFalse();
    all.unsent(deaf, LIMIT / 4); // what a turn that had begun may add
    assertThat(all.isUnsentFull(other)).as("the limit of all").isTrue();
    all.unsent(deaf, -3 * LIMIT / 4);
    assertThat(all.isUnsentFull(deaf)).isFalse();
    all.peers().leave(deaf);
    all.peers().leave(deaf);
    all.peers().leave(other);
    assertThat(all.peers().count()).isZero();
  }

  /** Or the connection that has just sent would take the room before those that wait for it. */
  @Test
  void aConnectionThatHasHadItsTurnWaitsIfOthersDo() throws UnknownHostException {
    Connections all = new Connections(ConnectionLimits.DEFAULTS.withCommandsPerTurn(1), counters);
    try (Store store = Store.inMemory()) {
      ItemStoreOptions options = new ItemStoreOptions(1 << 20, true, null, () -> 1_000_000_000);
      EmbeddedChannel channel = connect(all, new ItemStore(store, options).connect());
      Peers.Peer peer = all.peers().enter(channel.remoteAddress());
      channel.writeInbound(Unpooled.copiedBuffer("mn\r\nmn\r\n", StandardCharsets.US_ASCII));
      assertThat(sent(channel)).isEqualTo("MN\r\nMN\r\n");
      peer.held(1);
      channel.writeInbound(Unpooled.copiedBuffer("mn\r\nmn\r\n", StandardCharsets.US_ASCII));
      assertThat(sent(channel)).isEqualTo("MN\r\n");
      channel.advanceTimeBy(1, TimeUnit.SECONDS);
      channel.runScheduledPendingTasks();
      assertThat(sent(channel)).isEqualTo("MN\r\n");
      var _ = channel.close();
    }
  }

  private EmbeddedChannel connect(Connections all, ConnectionCache cache) {
    return new EmbeddedChannel(connection(all, cache));
  }

  private Connection connection(Connections all, ConnectionCache cache) {
    assertThat(all.enter()).isTrue();
    Session session = new Session(cache, ServerOptions.defaults().protocol(null), counters);
    return new Connection(all, session, cache, new Watchers().connection(1), new Reply());
  }

  /** A channel from an address of its own. */
  private static final class FromAddress extends EmbeddedChannel {

    private final InetSocketAddress address;

    FromAddress(InetSocketAddress address) {
      super(false, false);
      this.address = address;
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return address;
    }
  }

  /** As many as have to, the oldest reply first, and no client more than that. */
  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6, 8})
  void clientsThatDoNotReadAreClosedUntilThereIsRoom(int clients) throws Exception {
    Connections all =
        new Connections(ConnectionLimits.DEFAULTS.withMaxBytes(LIMIT, LIMIT), counters);
    try (Store store = Store.inMemory()) {
      ItemStoreOptions options = new ItemStoreOptions(1 << 20, true, null, () -> 1_000_000_000);
      ItemStore items = new ItemStore(store, options);
      int bytes = (int) (LIMIT / clients + LIMIT / 16); // all of them together are too many
      List<FromAddress> channels = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        FromAddress channel = new FromAddress(address(i, 1000));
        Connection connection = connection(all, items.connect());
        var _ = channel.pipeline().addLast(connection);
        channel.register();
        connection.debt().begin(bytes, i);
        all.unsent(connection.peer(), bytes);
        channels.add(channel);
      }
      all.expire(TimeUnit.SECONDS.toNanos(2));
      channels.forEach(EmbeddedChannel::runPendingTasks);
      long left = (long) clients * bytes;
      for (FromAddress channel : channels) {
        assertThat(channel.isOpen()).isEqualTo(left < LIMIT - LIMIT / 4);
        left -= channel.isOpen() ? 0 : bytes;
        var _ = channel.close();
      }
    }
  }

  private static String sent(EmbeddedChannel channel) {
    StringBuilder all = new StringBuilder();
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      all.append(next.toString(StandardCharsets.US_ASCII));
      next.release();
    }
    return all.toString();
  }

  /** The store blocks who waits beyond its limit: the connection does not ask it then. */
  @Test
  void aReplyThatMayNotWaitInTheStoreIsSentWhenItIsDurable() {
    Connections all = new Connections(ConnectionLimits.DEFAULTS, counters, 0);
    try (Store store = Store.open(folder, StoreOptions.defaults().withMaxSize(64 << 20))) {
      ItemStoreOptions options =
          new ItemStoreOptions(1 << 20, true, Durability.SYNC, () -> 1_000_000_000);
      ConnectionCache cache = new ItemStore(store, options).connect();
      EmbeddedChannel channel = connect(all, cache);
      channel.writeInbound(
          Unpooled.copiedBuffer("set a 0 0 1\r\nx\r\n", StandardCharsets.US_ASCII));
      long deadline = System.nanoTime() + DEADLINE_NANOS;
      ByteBuf sent = channel.readOutbound();
      while (sent == null && System.nanoTime() - deadline < 0) {
        channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        sent = channel.readOutbound();
      }
      assertThat(sent).isNotNull();
      assertThat(cache.isDurable()).isTrue();
      assertThat(sent.toString(StandardCharsets.US_ASCII)).isEqualTo("STORED\r\n");
      sent.release();
      var _ = channel.close();
    }
  }

  @Test
  void aBinaryClientIsToldOfMissingMemoryInItsProtocol() {
    try (Store store = Store.inMemory()) {
      ItemStoreOptions options = new ItemStoreOptions(1 << 20, true, null, () -> 1_000_000_000);
      ConnectionCache cache = new ItemStore(store, options).connect();
      Session session = new Session(cache, ServerOptions.defaults().protocol(null), counters);
      ByteBuffer set = ByteBuffer.allocate(40);
      set.put((byte) 0x80).put((byte) 1).putShort((short) 1).put((byte) 8);
      set.putInt(8, 8 + 1 + 1000).putInt(12, 77).put(32, (byte) 'k');
      Reply reply = new Reply();
      assertThat(session.receive(set.clear(), reply, 1)).isTrue();
      session.refuse(reply);
      ByteBuffer refused = ByteBuffer.wrap(reply.array(), 0, reply.length());
      assertThat(refused.get(0)).isEqualTo((byte) 0x81);
      assertThat(refused.getShort(6)).as("status: out of memory").isEqualTo((short) 0x82);
      assertThat(refused.getInt(12)).isEqualTo(77);
      session.close();
    }
  }
}
