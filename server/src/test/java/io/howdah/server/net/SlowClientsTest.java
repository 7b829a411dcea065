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
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.Watchers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send or take slowly, at times of the test's. */
final class SlowClientsTest {

  private static final int VALUE_BYTES = 1_000_000;
  private static final int PIECE_BYTES = 1 << 17;
  private static final long MAX_READ_BYTES = 2 * VALUE_BYTES;
  private static final int MAX_TURNS = 1000;

  private final CommandCounters counters = new CommandCounters();
  private final Connections all =
      new Connections(
          ConnectionLimits.DEFAULTS.withTimeouts(
              Duration.ZERO, Duration.ofSeconds(3), Duration.ofSeconds(60)),
          counters);
  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(128 << 20));
  private final ItemStore items =
      new ItemStore(
          store, new ItemStoreOptions(32 << 20, true, null, () -> 1_000_000_000, MAX_READ_BYTES));
  private final List<Client> clients = new ArrayList<>();
  private final long start = System.nanoTime();

  @BeforeEach
  void connect() {
    all.readFrom(items);
  }

  @AfterEach
  void close() {
    for (Client client : clients) {
      var _ = client.channel.close();
    }
    store.close();
  }

  /** A client that takes its replies, or leaves them in the connection. */
  private final class Client extends ChannelOutboundHandlerAdapter {
    final EmbeddedChannel channel;
    boolean takes = true;
    private final Queue<ByteBuf> left = new ArrayDeque<>();
    private final Queue<ChannelPromise> promises = new ArrayDeque<>();
    private long taken;

    Client() {
      assertThat(all.enter()).isTrue();
      ConnectionCache cache = items.connect();
      Session session = new Session(cache, ServerOptions.defaults().protocol(null), counters);
      Connection connection =
          new Connection(all, session, cache, new Watchers().connection(1), new Reply());
      channel = new EmbeddedChannel(this, connection);
      clients.add(this);
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

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
      left.forEach(ByteBuf::release);
      left.clear();
      super.close(context, promise);
    }

    void send(byte[] bytes) {
      channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }

    void send(String text) {
      send(text.getBytes(ISO_8859_1));
    }

    /** Takes the reply that it has left. */
    void takeOne() {
      taken += left.remove().readableBytes();
      promises.remove().setSuccess();
      channel.runPendingTasks();
    }

    /** Lets the connection do what it has to do now, and returns the bytes taken until now. */
    long taken() {
      channel.advanceTimeBy(1, TimeUnit.SECONDS);
      channel.runPendingTasks();
      for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
        taken += next.readableBytes();
        next.release();
      }
      return taken;
    }

    boolean isOpen() {
      channel.runPendingTasks();
      return channel.isOpen();
    }
  }

  private void store(String... keys) {
    Client client = new Client();
    for (String key : keys) {
      client.send("set " + key + " 0 0 " + VALUE_BYTES + "\r\n");
      client.send(new byte[VALUE_BYTES]);
      client.send("\r\n");
    }
    assertThat(client.taken()).isEqualTo("STORED\r\n".length() * (long) keys.length);
  }

  private Client deaf(String command) {
    Client client = new Client();
    client.takes = false;
    client.send(command);
    return client;
  }

  private void expire(int millis) {
    all.expire(start + TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"set b 0 0 40000000\r\n", "ms b 30000000 !\r\n", "\u0080\u0001"})
  void aClientWhoseLargeValueIsDroppedMayTakeItsTime(String command) {
    byte[] begin = command.getBytes(ISO_8859_1);
    if (begin[0] < 0) { // a header of 24 bytes, and 8 of extras, a key of one, and the value
      ByteBuffer header = ByteBuffer.allocate(33).put(begin);
      begin =
          header
              .putShort(2, (short) 1)
              .put(4, (byte) 8)
              .putInt(8, 4_000_009)
              .put(32, begin[0])
              .array();
    }
    expire(0);
    Client client = new Client();
    client.send(begin);
    assertThat(client.taken()).as("told that it is refused").isPositive();
    int millis = 0;
    for (int i = 0; i < 5; i++) {
      millis += 2000;
      expire(millis);
      assertThat(client.isOpen()).as("after %s ms", millis).isTrue();
      client.send(new byte[PIECE_BYTES]);
    }
    client.send(new byte[1000]); // too little
    millis += 2000;
    expire(millis);
    client.send(new byte[1000]);
    assertThat(client.isOpen()).isTrue();
    expire(millis + 1000);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void readersThatDoNotReadAreClosedWhileOthersWait() {
    store("a", "b", "c");
    expire(0);
    Client first = deaf("get a\r\n");
    expire(1);
    Client second = deaf("get b\r\n");
    expire(10_000);
    assertThat(first.isOpen()).as("nobody waits").isTrue();
    Client waiting = new Client();
    waiting.send("get c\r\n");
    assertThat(waiting.taken()).isZero();
    expire(10_001);
    assertThat(first.isOpen()).as("the oldest reply is closed").isFalse();
    assertThat(second.isOpen()).as("there is room now").isTrue();
    assertThat(allOf(waiting)).isGreaterThan(VALUE_BYTES);
    expire(20_000);
    assertThat(second.isOpen()).as("nobody waits").isTrue();
  }

  @Test
  void aReaderThatTakesAReplyEachSecondStays() {
    store("a", "b", "c");
    expire(0);
    Client slow = deaf("get a\r\n");
    Client deaf = deaf("get b\r\n");
    Client waiting = new Client();
    waiting.send("get c\r\n");
    assertThat(waiting.taken()).isZero();
    expire(900);
    slow.takeOne();
    assertThat(slow.isOpen()).isTrue();
    expire(999);
    assertThat(deaf.isOpen()).isTrue();
    expire(1000);
    assertThat(slow.isOpen()).isTrue();
    assertThat(deaf.isOpen()).isFalse();
    assertThat(allOf(waiting)).isGreaterThan(VALUE_BYTES);
  }

  /** To close it would make no room: another client takes the same value. */
  @Test
  void aReaderOfAValueThatOthersTakeStays() {
    store("a", "b", "c");
    expire(0);
    Client deaf = deaf("get a\r\n");
    Client slow = deaf("get a\r\n");
    Client alone = deaf("get b\r\n");
    Client waiting = new Client();
    waiting.send("get c\r\n");
    assertThat(waiting.taken()).isZero();
    expire(900);
    slow.takeOne();
    expire(1000);
    assertThat(alone.isOpen()).isFalse();
    assertThat(slow.isOpen()).isTrue();
    assertThat(deaf.isOpen()).isTrue();
  }

  /** It asks for the room no more, so it must not keep others from it. */
  @Test
  void aConnectionThatWaitsForItsClientHasNoPlaceAmongThoseThatWaitForRoom() {
    store("a", "b", "c");
    new Client().send("set s 0 0 1\r\nx\r\n");
    expire(0);
    Client first = deaf("get a\r\n");
    Client second = deaf("get b\r\n");
    Client deaf = deaf("get s c\r\n");
    assertThat(deaf.isOpen()).isTrue();
    first.takes = true;
    first.takeOne();
    assertThat(allOf(first)).isGreaterThan(VALUE_BYTES);
    Client other = new Client();
    other.send("get c\r\n");
    assertThat(allOf(other)).isGreaterThan(VALUE_BYTES);
    assertThat(second.isOpen()).isTrue();
  }

  /** Returns the bytes that a client has taken when there are no more. */
  private static long allOf(Client client) {
    long before = -1;
    long now = client.taken();
    for (int i = 0; i < MAX_TURNS && now != before; i++) {
      before = now;
      now = client.taken();
    }
    return now;
  }
}
