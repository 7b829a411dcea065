package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.ServerControl;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.ConnectionEvents;
import io.howdah.server.watch.Watchers;
import io.howdah.txn.Durability;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in which a connection ends, in every state: then no gauge of {@code stats} counts it.
 */
@Timeout(60)
final class GaugesTest {

  private static final int VALUE_BYTES = 1_000_000;
  private static final int HALF = VALUE_BYTES / 2;
  private static final String HALF_VALUE = "v".repeat(HALF);
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private static final String[] GAUGES = {
    "curr_connections",
    "connection_structures",
    "howdah_unsent_bytes",
    "howdah_partial_bytes",
    "howdah_durability_waits",
    "howdah_pending_bytes",
    "howdah_read_bytes",
    "log_watchers",
  };

  /** What a client has sent, and whether it takes replies. */
  enum State {
    BETWEEN_COMMANDS("version\r\n", true, ""),
    WITHIN_A_LINE("get some", true, "howdah_partial_bytes"),
    WITHIN_A_LONG_LINE("get " + "some ".repeat(50_000), true, "howdah_partial_bytes"),
    WITHIN_A_VALUE("set a 0 0 60000\r\n" + "v".repeat(30_000), true, "howdah_partial_bytes"),
    WITHIN_A_LARGE_VALUE(set("a", VALUE_BYTES) + HALF_VALUE, true, "howdah_pending_bytes"),
    WITHIN_A_REFUSED_VALUE(set("a", 40 * VALUE_BYTES) + HALF_VALUE, true, ""),
    WITHIN_THE_END_OF_A_VALUE("set a 0 0 1\r\nv\r", true, "howdah_partial_bytes"),
    WITHIN_A_HEADER("\u0080\u0001\0\1", true, ""),
    BEFORE_A_REPLY("version\r\n", false, "howdah_unsent_bytes"),
    WITHIN_A_REPLY("get first\r\n", false, "howdah_read_bytes"),
    WITHIN_A_REPLY_OF_MANY(
        "get s first " + "s ".repeat(10_000) + "\r\n", false, "howdah_read_bytes"),
    WAITS_FOR_READERS("get third\r\n", true, "howdah_read_bytes"),
    WAITS_FOR_DURABILITY("set a 0 0 1\r\nv\r\n", true, ""),
    WAITS_FOR_A_WAIT("set a 0 0 1\r\nv\r\n", true, "howdah_unsent_bytes"),
    WATCHES("watch fetchers\r\n", true, "log_watchers");

    private final String sent;
    private final boolean takes;
    private final String raised;

    State(String sent, boolean takes, String raised) {
      this.sent = sent;
      this.takes = takes;
      this.raised = raised;
    }
  }

  enum End {
    QUIT,
    RESET,
    CLOSE,
    HALF_CLOSE,
    KICK,
    STOP
  }

  @TempDir Path folder;

  private final CommandCounters counters = new CommandCounters();
  private final Watchers watchers = new Watchers();
  private final long start = System.nanoTime();

  static Stream<Arguments> waysToEnd() {
    return Arrays.stream(State.values())
        .flatMap(state -> Arrays.stream(End.values()).map(end -> Arguments.of(state, end)));
  }

  private static String set(String key, int bytes) {
    return "set " + key + " 0 0 " + bytes + "\r\n";
  }

  /** A client that takes its replies, or leaves them in the connection. */
  private static final class Client extends ChannelOutboundHandlerAdapter {
    final EmbeddedChannel channel;
    private final Queue<ByteBuf> left = new ArrayDeque<>();
    private final Queue<ChannelPromise> promises = new ArrayDeque<>();
    boolean takes;

    Client(Connection connection, boolean takes) {
      this.takes = takes;
      channel = new EmbeddedChannel(this, connection);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (takes) {
        var _ = context.write(message, promise);
      } else {
        left.add((ByteBuf) message);
        promises.add(promise);
      }
    }

    /** As a socket does, it fails what was not written. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
      left.forEach(ByteBuf::release);
      left.clear();
      promises.forEach(one -> one.tryFailure(new ClosedChannelException()));
      promises.clear();
      super.close(context, promise);
    }

    void send(String text) {
      channel.writeInbound(Unpooled.wrappedBuffer(text.getBytes(ISO_8859_1)));
    }

    /** Lets the connection do what it has to do now. */
    void run() {
      for (int i = 0; i < 100; i++) {
        channel.advanceTimeBy(50, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
          next.release();
        }
      }
    }

    void takeAll() {
      takes = true;
      while (!left.isEmpty()) {
        left.remove().release();
        promises.remove().setSuccess();
        run();
      }
      run();
    }
  }

  private static Client connect(
      Connections all,
      ItemStore items,
      Watchers watchers,
      CommandCounters counters,
      boolean takes) {
    assertThat(all.enter()).isTrue();
    ConnectionEvents events = watchers.connection(all.nextId());
    ConnectionCache cache = items.connect(events);
    Session session =
        new Session(
            cache, ServerOptions.defaults().protocol(null), counters, ServerControl.NONE, events);
    return new Client(new Connection(all, session, cache, events, new Reply()), takes);
  }

  private Client connect(Connections all, ItemStore items, boolean takes) {
    return connect(all, items, watchers, counters, takes);
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("waysToEnd")
  void everyGaugeComesBackToZero(State state, End end) {
    boolean waits = state == State.WAITS_FOR_DURABILITY || state == State.WAITS_FOR_A_WAIT;
    ConnectionLimits limits =
        ConnectionLimits.DEFAULTS.withTimeouts(
            Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5));
    Connections all = new Connections(limits, counters, state == State.WAITS_FOR_A_WAIT ? 0 : 10);
    StoreOptions size =
        StoreOptions.defaults()
            .withMaxSize(128 << 20)
            .withGroupCommitInterval(Duration.ofSeconds(10));
    try (Store store = waits ? Store.open(folder, size) : Store.inMemory(size)) {
      ItemStore items =
          new ItemStore(
              store,
              new ItemStoreOptions(
                  32 << 20,
                  true,
                  waits ? Durability.SYNC : null,
                  () -> 1_000_000_000,
                  2 * VALUE_BYTES),
              watchers);
      all.readFrom(items);
      all.expire(start);
      Client first = null;
      Client second = null;
      if (!waits) {
        store(connect(all, items, true), "first", "second", "third");
        if (state == State.WAITS_FOR_READERS) {
          first = connect(all, items, false);
          first.send("get first\r\n");
          second = connect(all, items, false);
          second.send("get second\r\n");
        }
      }
      Client client = connect(all, items, state.takes);
      client.send(state.sent);
      if (!state.raised.isEmpty()) {
        assertThat(gauges(all, items).get(state.raised)).as(state.raised).isNotEqualTo("0");
      }
      end(all, client, end);
      for (Client other : new Client[] {first, second}) {
        if (other != null) {
          var _ = other.channel.close();
          other.run();
        }
      }
      assertThat(client.channel.isOpen()).isFalse();
      long deadline = System.nanoTime() + (waits ? PATIENCE_NANOS : 0);
      Map<String, String> zeros = new TreeMap<>();
      for (String gauge : GAUGES) {
        zeros.put(gauge, "0");
      }
      do { // a commit becomes durable in a thread of the store's
        client.run();
        items.reclaim(items.sweep(), 100);
      } while (!gauges(all, items).equals(zeros) && System.nanoTime() - deadline < 0);
      assertThat(gauges(all, items)).isEqualTo(zeros);
      assertThat(all.peers().count()).as("addresses").isZero();
    }
  }

  private static void store(Client client, String... keys) {
    for (String key : keys) {
      client.send(set(key, VALUE_BYTES) + HALF_VALUE + HALF_VALUE + "\r\n");
    }
    client.send("set s 0 0 1\r\nv\r\n");
    client.run();
    client.send("quit\r\n");
    client.run();
    assertThat(client.channel.isOpen()).isFalse();
  }

  private void end(Connections all, Client client, End end) {
    switch (end) {
      case QUIT -> {
        client.send("quit\r\n");
        client.takeAll();
        var _ = client.channel.close();
      }
      case RESET -> client.channel.pipeline().fireExceptionCaught(new IOException("a reset"));
      case CLOSE -> {
        var _ = client.channel.close();
      }
      case HALF_CLOSE -> {
        client.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        client.takeAll();
        var _ = client.channel.close();
      }
      case KICK -> {
        all.expire(start + TimeUnit.SECONDS.toNanos(6));
        client.run();
        var _ = client.channel.close(); // what waits for the server has no deadline
      }
      case STOP -> {
        all.stop();
        client.run();
        all.closeAll();
      }
    }
    client.run();
  }

  private static Map<String, String> gauges(Connections all, ItemStore items) {
    Map<String, String> rows = new TreeMap<>();
    all.statistics(rows::put);
    items.connect().statistics(rows::put);
    rows.keySet().retainAll(Arrays.asList(GAUGES));
    return rows;
  }
}
