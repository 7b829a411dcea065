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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A commit that is refused, as on a full disk, leaves nothing behind when the client has gone. */
final class RefusedCommitsTest {

  private static final int CHUNK = 100;

  private static final String LARGE = "0123456789".repeat(100);

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

  private String send(String commands) {
    Session session =
        new Session(
            items.connect(),
            new ProtocolOptions(ProtocolOptions.MAX_MAX_ITEM_BYTES, true, "1"),
            new CommandCounters());
    Reply reply = new Reply();
    ByteBuffer input = ByteBuffer.wrap(key(commands.replace("~", "\r\n")));
    do {
      assertThat(session.receive(input, reply, 1 << 16, 20)).isTrue();
    } while (input.hasRemaining() || session.hasMore());
    session.close();
    return reply.toString().replace("\r\n", "~");
  }

  /**
   * Meta gets while no commit has room. They answer all the same, unless they are asked to write.
   * No client is told that it makes a late item anew: the next one would be told so, too.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mg plain v~ | VA 1~x~",
        "mg late v~ | VA 1~x~",
        "mg late R30 v~ | VA 1 Z~x~",
        "mg late R30~ | HD Z~",
        "mg late R5 v~ | VA 1~x~",
        "mg stale v~ | VA 1 Z X~x~",
        "mg stale t~ | HD t-1 Z X~",
        "mg none v~ | EN~",
        "mg none v N30~ | SERVER_ERROR out of memory~",
        "mg plain v T30~ | SERVER_ERROR out of memory~",
        "mg stale v T30~ | SERVER_ERROR out of memory~",
        "mg large v k~ | VA 1000 klarge~$~",
        "mg largeandlate R30 s~ | HD s1000 Z~",
      })
  void aMetaGetWithoutRoomPromisesNothing(String command, String reply) {
    assertThat(
            send(
                "ms plain 1~x~ms late 1 T20~x~ms stale 1~x~md stale I~"
                    + ("ms large 1000~" + LARGE + "~")
                    + ("ms largeandlate 1000 T20~" + LARGE + "~")))
        .isEqualTo("HD~".repeat(6));
    CacheFullException _ = items.logRoom().refused(new LogFullException("made by the test"));
    String expected = reply.replace("$", LARGE);
    assertThat(send(command)).isEqualTo(expected);
    assertThat(send(command)).as("another client").isEqualTo(expected);
    now++; // the log has room again
    boolean hasWinner = reply.contains(" Z") || command.matches(".*(stale|N30).*");
    assertThat(send(command).contains(" W")).as("the first client then").isEqualTo(hasWinner);
    assertThat(send(command)).as("the second client").doesNotContain(" W");
  }
}
