package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.Item;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.Watchers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A command that fails ends its connection, and leaves nothing in the reply of the event loop. */
final class FailingCommandTest {

  private final CommandCounters counters = new CommandCounters();
  private final Connections connections = new Connections(ConnectionLimits.DEFAULTS, counters);
  private final Reply reply = new Reply();
  private final Store store = Store.inMemory();
  private final ConnectionCache cache =
      new ItemStore(store, new ItemStoreOptions(1 << 20, true, null, () -> 1_000_000_000))
          .connect();

  @AfterEach
  void close() {
    store.close();
  }

  private EmbeddedChannel connect(Cache seen) {
    assertThat(connections.enter()).isTrue();
    Session session = new Session(seen, ServerOptions.defaults().protocol(null), counters);
    return new EmbeddedChannel(
        new Connection(connections, session, cache, new Watchers().connection(1), reply));
  }

  /** Fails as when there is no memory, for the key "bad". */
  private Cache failing() {
    return (Cache)
        Proxy.newProxyInstance(
            Cache.class.getClassLoader(),
            new Class<?>[] {Cache.class},
            (_, method, arguments) -> {
              if (arguments != null && isBad(arguments[0])) {
                throw new OutOfMemoryError("made by the test");
              }
              try {
                return method.invoke(cache, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static boolean isBad(Object key) {
    return key instanceof byte[] bytes
        && new String(bytes, StandardCharsets.US_ASCII).equals("bad");
  }

  private static void send(EmbeddedChannel channel, String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    channel.runPendingTasks();
  }

  private static String replies(EmbeddedChannel channel) {
    StringBuilder all = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      all.append(part.toString(StandardCharsets.US_ASCII));
      part.release();
    }
    return all.toString();
  }

  @Test
  void whatWasRepliedBeforeTheFailureReachesNoOtherClient() {
    cache.update(
        "secret".getBytes(StandardCharsets.US_ASCII),
        _ -> new Item(0, 0, Item.NEW_CAS, 0, "for the first".getBytes(StandardCharsets.US_ASCII)));
    EmbeddedChannel first = connect(failing());
    EmbeddedChannel second = connect(cache);
    send(first, "get secret\r\ntouch bad 1\r\n");
    assertThat(replies(first)).isEmpty();
    assertThat(first.isOpen()).isFalse();
    send(second, "get other\r\n");
    assertThat(replies(second)).isEqualTo("END\r\n");
    assertThat(second.isOpen()).isTrue();
    var _ = second.close();
  }
}
