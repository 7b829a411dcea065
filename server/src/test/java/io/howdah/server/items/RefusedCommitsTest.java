package io.howdah.server.items;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.LogFullException;
import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A commit that is refused, as on a full disk, leaves nothing behind when the client has gone. */
final class RefusedCommitsTest {

  private static final int CHUNK = 100;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));
  private final ItemStore items =
      new ItemStore(
          store,
          new ItemStoreOptions(4 << 20, true, null, () -> 1_700_000_000, 1 << 20),
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
}
