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
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whose command the server still works on is neither idle nor slow. */
final class BusyConnectionDeadlinesTest {

  private static final int VALUE_BYTES = 1_000_000;

  private final CommandCounters counters = new CommandCounters();
  private final Connections all =
      new Connections(
          ConnectionLimits.DEFAULTS.withTimeouts(
              Duration.ofSeconds(3), Duration.ofSeconds(3), Duration.ofSeconds(60)),
          counters);
  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(128 << 20));
  private final ItemStore items =
      new ItemStore(
          store, new ItemStoreOptions(32 << 20, true, null, () -> 1_000_000_000, 4 * VALUE_BYTES));
  private final long start = System.nanoTime();
  private int writes;
  private int millis;
  private int millisForEachWrite;
  private final EmbeddedChannel channel = connect();

  private EmbeddedChannel connect() {
    expire(0);
    assertThat(all.enter()).isTrue();
    ConnectionCache cache = items.connect();
    Session session = new Session(cache, ServerOptions.defaults().protocol(null), counters);
    return new EmbeddedChannel(
        new ChannelOutboundHandlerAdapter() {
          @Override
          public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            writes++;
            expire(millis + millisForEachWrite); // the client takes it at once; the server is slow
            var _ = context.write(message, promise);
          }
        },
        new Connection(all, session, cache, new Watchers().connection(1), new Reply()));
  }

  @AfterEach
  void close() {
    var _ = channel.close();
    store.close();
  }

  private void expire(int millis) {
    this.millis = millis;
    all.expire(start + TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void send(byte[] bytes) {
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
  }

  private void send(String text) {
    send(text.getBytes(ISO_8859_1));
  }

  private long taken() {
    long taken = 0;
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      taken += next.readableBytes();
      next.release();
    }
    return taken;
  }

  private void store() {
    send("set a 0 0 " + VALUE_BYTES + "\r\n");
    send(new byte[VALUE_BYTES]);
    send("\r\n");
    assertThat(taken()).isEqualTo("STORED\r\n".length());
  }

  @Test
  void aReplyOfManyPartsIsNotCutAsIdle() {
    store();
    millisForEachWrite = 1000;
    send("get a\r\n");
    assertThat(taken()).isGreaterThan(VALUE_BYTES);
    assertThat(channel.isOpen()).isTrue();
    assertThat(writes).isGreaterThan(3);
  }

  @Test
  void aReplyOfManyPartsIsNotCutAsAHalfSentRequest() {
    store();
    send("get ");
    millisForEachWrite = 1000;
    send("a\r\n");
    assertThat(taken()).isGreaterThan(VALUE_BYTES);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aPipelineIsRunToItsEnd() {
    millisForEachWrite = 1000;
    send("get x\r\n".repeat(200));
    assertThat(taken()).isEqualTo(200L * "END\r\n".length());
    assertThat(channel.isOpen()).isTrue();
    expire(millis + 2999);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    expire(millis + 1);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).as("idle now").isFalse();
  }
}
