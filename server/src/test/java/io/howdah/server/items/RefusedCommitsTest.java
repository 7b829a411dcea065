package io.howdah.server.items;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.LogFullException;
import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A commit that is refused, as on a full disk, leaves nothing behind when the client has gone. */
final class RefusedCommitsTest {

  private static final int CHUNK = 100;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));
  private long now = 1_700_000_000;
  private final ItemStore items =
      new ItemStore(
          store,
          new ItemStoreOptions(4 << 20, true, null, () -> now, 1 << 20),
          Numbering.RANGE,
          CHUNK);

  @AfterEach
  void close() {
    store.close();
  }

  private static Cache refusing(Cache cache) {
    return (Cache)
        Proxy.newProxyInstance(
            Cache.class.getClassLoader(),
            new Class<?>[] {Cache.class},
            (_, method, arguments) -> {
              if (method.getName().equals("update")) {
                throw new LogFullException("made by the test");
              }
              try {
                return method.invoke(cache, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aLargeValueWhoseItemWasRefusedIsFreed() {
    Session session =
        new Session(
            refusing(items.connect()),
            new ProtocolOptions(ProtocolOptions.MAX_MAX_ITEM_BYTES, true, "1"),
            new CommandCounters());
    String command = "set a 0 0 1000\r\n" + "x".repeat(1000) + "\r\n";
    assertThatThrownBy(
            () ->
                session.receive(
                    ByteBuffer.wrap(command.getBytes(ISO_8859_1)), new Reply(), 1 << 16, 20))
        .isInstanceOf(LogFullException.class);
    session.close(); // as the connection does
    items.reclaim(items.sweep(), 1000);
    assertThat(items.values().held()).as("values held").isZero();
    assertThat(items.bytes()).as("bytes that count for the limit").isZero();
  }

  private static byte[] key(String key) {
    return key.getBytes(ISO_8859_1);
  }

  /**
   * A read that touches keeps the large value that it finds. If it is refused before it has looked,
   * the next command of the connection keeps none: it would wait for other readers for nothing, and
   * commands that reply without a value do not wait.
   */
  @Test
  void aRefusedReadKeepsNothingForTheNextCommand() {
    for (String key : List.of("a", "b")) {
      items.connect().update(key(key), _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[800_000]));
    }
    assertThat(items.connect().get(key("a"))).isNotNull(); // and keeps its value
    ConnectionCache cache = items.connect();
    ItemUpdate touch = item -> item == null ? null : item.withExpiry(now + 100);
    CacheFullException _ = items.logRoom().refused(new LogFullException("made by the test"));
    assertThatThrownBy(() -> cache.updateAndGet(key("b"), touch))
        .isInstanceOf(CacheFullException.class);
    now++; // the log has room again
    assertThat(cache.update(key("b"), touch)).isNotNull();
    cache.release();
  }
}
