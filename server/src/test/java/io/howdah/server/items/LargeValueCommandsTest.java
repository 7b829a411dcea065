package io.howdah.server.items;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commands on large values, which arrive in parts and are sent in parts. Values are large from 101
 * bytes on.
 */
final class LargeValueCommandsTest {

  private static final int CHUNK_BYTES = 100;
  private static final long MAX_BYTES = 4 << 20;
  private static final long MAX_READ_BYTES = 5000;
  private static final int MAX_TURNS = 100_000;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20));
  private ItemStore items = items(MAX_BYTES, true);
  private Client client = new Client(items);

  @AfterEach
  void close() {
    store.close();
  }

  private ItemStore items(long maxBytes, boolean evicts) {
    ItemStoreOptions options =
        new ItemStoreOptions(maxBytes, evicts, null, () -> 1_700_000_000, MAX_READ_BYTES);
    return new ItemStore(store, options, Numbering.RANGE, CHUNK_BYTES);
  }

  /** A connection without a network. Takes as many bytes of replies at once as it is told. */
  private static final class Client {
    final Session session;
    private final Reply reply = new Reply();

    Client(ItemStore items) {
      session =
          new Session(
              items.connect(),
              new ProtocolOptions(ProtocolOptions.MAX_MAX_ITEM_BYTES, true, "1"),
              new CommandCounters());
    }

    /** Sends bytes, and takes one turn's replies. */
    String turn(String bytes) {
      ByteBuffer input = ByteBuffer.wrap(bytes.getBytes(ISO_8859_1));
      session.receive(input, reply, 1, 1);
      assertThat(input.hasRemaining()).isFalse();
      String text = reply.toString();
      reply.clear(0);
      return text;
    }

    /** Sends bytes, and takes all replies. */
    String ask(String bytes) {
      ByteBuffer input = ByteBuffer.wrap(bytes.getBytes(ISO_8859_1));
      StringBuilder all = new StringBuilder();
      int turns = 0;
      do {
        assertThat(turns++).isLessThan(MAX_TURNS);
        session.receive(input, reply, 1, 1);
        all.append(reply);
        reply.clear(0);
      } while (input.hasRemaining() || session.hasMore());
      return all.toString();
    }
  }

  private static String value(int length) {
    Random random = new Random(length);
    StringBuilder value = new StringBuilder(length);
    while (value.length() < length) {
      value.append((char) ('a' + random.nextInt(26)));
    }
    return value.toString();
  }

  private static String set(String key, String value) {
    return "set " + key + " 5 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private static String hit(String key, String value) {
    return "VALUE " + key + " 5 " + value.length() + "\r\n" + value + "\r\n";
  }

  @ParameterizedTest
  @ValueSource(ints = {99, 100, 101, 200, 201, 1000, 100_000})
  void valuesComeBackWhateverTheirLength(int length) {
    String value = value(length);
    assertThat(client.ask(set("a", value))).isEqualTo("STORED\r\n");
    assertThat(client.ask("get a\r\n")).isEqualTo(hit("a", value) + "END\r\n");
    assertThat(client.ask("gat 0 a b a\r\n"))
        .isEqualTo(hit("a", value) + hit("a", value) + "END\r\n");
    assertThat(client.ask("mg a s v f\r\n"))
        .isEqualTo("VA " + length + " s" + length + " f5\r\n" + value + "\r\n");
    assertThat(client.ask("mg a s T9 v\r\n")).contains("VA " + length, value);
    assertThat(client.ask("mg a s\r\nmn\r\n")).isEqualTo("HD s" + length + "\r\nMN\r\n");
    assertThat(client.ask("me a\r\n")).contains(" size=");
    assertThat(client.ask("lru_crawler metadump all\r\n")).contains("key=a ");
    assertThat(client.ask("incr a 1\r\n")).startsWith("CLIENT_ERROR cannot increment");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aValueThatIsReplacedWhileItIsSentStaysTheOldOne() {
    String old = value(1000);
    client.ask(set("a", old));
    String head = client.turn("get a\r\n");
    assertThat(head).startsWith("VALUE a 5 1000\r\n");
    Client other = new Client(items);
    assertThat(other.ask(set("a", value(2000)))).isEqualTo("STORED\r\n");
    items.reclaim(items.sweep(), Sweep.BATCH); // nobody frees what is being sent
    assertThat(items.values().pendingBytes()).isEqualTo(items.values().bytes(1000));
    assertThat(other.ask("get a\r\n")).isEqualTo(hit("a", value(2000)) + "END\r\n");
    assertThat(other.ask("delete a\r\n")).isEqualTo("DELETED\r\n");
    assertThat(head + client.ask("")).isEqualTo(hit("a", old) + "END\r\n");
    items.reclaim(items.sweep(), Sweep.BATCH); // the end of a read commits nothing
    assertThat(items.values().pendingBytes()).isZero();
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(store.read(items.values()::owners)).isEmpty();
  }

  @Test
  void aConnectionThatEndsFreesWhatItHoldsAndWhatItHasWritten() {
    client.ask(set("a", value(1000)));
    Client reader = new Client(items);
    reader.turn("get a\r\n");
    Client writer = new Client(items);
    writer.turn("set b 0 0 5000\r\n" + value(4000));
    Client joiner = new Client(items);
    joiner.turn("append a 0 0 10\r\n0123456789\r\n");
    joiner.turn("");
    joiner.turn("");
    assertThat(items.values().pendingBytes()).isGreaterThan(4000);
    assertThat(client.ask("get b\r\n")).isEqualTo("END\r\n");
    items.reclaim(items.sweep(), Sweep.BATCH);
    assertThat(items.values().pendingBytes()).isGreaterThan(4000);
    reader.session.close();
    writer.session.close();
    joiner.session.close();
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(client.ask("get a\r\n")).isEqualTo(hit("a", value(1000)) + "END\r\n");
  }

  @Test
  void aValueWithABadEndIsFreedAndTheOldOneStays() {
    client.ask(set("a", value(1000)));
    assertThat(client.ask("set a 0 0 2000\r\n" + value(2000) + "xx"))
        .isEqualTo("CLIENT_ERROR bad data chunk\r\n");
    assertThat(client.ask("ms a 2000\r\n" + value(2000) + "xx"))
        .isEqualTo("CLIENT_ERROR bad data chunk\r\n");
    assertThat(client.ask("add a 0 0 2000\r\n" + value(2000) + "\r\n")).isEqualTo("NOT_STORED\r\n");
    assertThat(client.ask("get a\r\n")).isEqualTo(hit("a", value(1000)) + "END\r\n");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void readersWaitForEachOtherBeyondTheLimit() {
    client.ask(set("a", value(4000)) + set("b", value(3000)) + set("c", value(10_000)));
    Client first = new Client(items);
    String begun = first.turn("get a\r\n");
    Client same = new Client(items);
    assertThat(same.ask("get a\r\n")).isEqualTo(hit("a", value(4000)) + "END\r\n");
    for (String command : new String[] {"get none b\r\n", "gat 0 b\r\n", "mg b v\r\n"}) {
      Client second = new Client(items);
      assertThat(second.turn(command)).isEmpty();
      assertThat(second.session.isWaiting()).isTrue();
      assertThat(second.turn("")).isEmpty();
      second.session.close();
    }
    Client second = new Client(items);
    assertThat(second.turn("get none b\r\n")).isEmpty();
    assertThat(begun + first.ask("")).isEqualTo(hit("a", value(4000)) + "END\r\n");
    assertThat(second.ask("")).isEqualTo(hit("b", value(3000)) + "END\r\n");
    assertThat(client.ask("get c\r\n")).as("one alone").hasSizeGreaterThan(10_000);
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(items.values().readBytes()).isZero();
  }

  /** Its readers would never leave all the room at a time, if they did not wait, too. */
  @Test
  void aValueThatFitsOnlyAloneIsReadWhileOthersReadAllTheTime() {
    client.ask(set("a", value(3000)) + set("b", value(2000)) + set("c", value(10_000)));
    for (String other : new String[] {"b", "a"}) {
      Client[] readers = {new Client(items), new Client(items)};
      assertThat(readers[0].turn("get a\r\n")).isNotEmpty();
      assertThat(readers[1].turn("get " + other + "\r\n")).isNotEmpty();
      Client huge = new Client(items);
      assertThat(huge.turn("get c\r\n")).isEmpty();
      String begun = "";
      for (int i = 0; begun.isEmpty(); i++) {
        assertThat(i).as("turns in which it waited").isLessThan(200);
        Client reader = readers[i % 2];
        if (!reader.session.isWaiting()) {
          reader.ask("");
          reader.turn("get " + (i % 2 == 0 ? "a" : other) + "\r\n");
        }
        begun = huge.turn("");
      }
      assertThat(begun + huge.ask("")).isEqualTo(hit("c", value(10_000)) + "END\r\n");
      assertThat(readers[0].ask("")).endsWith("END\r\n");
      assertThat(readers[1].ask("")).endsWith("END\r\n");
    }
    assertThat(items.values().readBytes()).isZero();
  }

  @Test
  void whatIsAppendedWhileOthersStoreIsAppendedToWhatTheyHaveStored() {
    client.ask(set("a", value(1000)));
    Client joiner = new Client(items);
    assertThat(joiner.turn("append a 0 0 3\r\nend\r\n")).isEmpty();
    for (int i = 0; i < 5; i++) {
      assertThat(joiner.turn("")).isEmpty();
    }
    client.ask(set("a", value(500)));
    assertThat(joiner.ask("")).isEqualTo("STORED\r\n");
    assertThat(client.ask("get a\r\n")).isEqualTo(hit("a", value(500) + "end") + "END\r\n");
    assertThat(client.ask("md a I\r\nmg a s\r\n")).isEqualTo("HD\r\nHD s503 X W\r\n");
    assertThat(client.ask("ms a 1 MA\r\n!\r\n")).isEqualTo("HD\r\n");
    assertThat(client.ask("mg a s\r\n")).as("not stale").isEqualTo("HD s504\r\n");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ms a 3 MA\r\nend\r\n", "append a 0 0 3\r\nend\r\n"})
  void whatIsAppendedWaitsForReadersAsAGetDoes(String append) {
    client.ask(set("a", value(1000)) + set("b", value(4500)));
    Client reader = new Client(items);
    reader.turn("get b\r\n");
    assertThat(client.turn(append)).isEmpty();
    for (int i = 0; i < 20; i++) {
      assertThat(client.turn("")).isEmpty();
      assertThat(client.session.isWaiting()).isTrue();
    }
    assertThat(new Client(items).ask("mg a s\r\n")).isEqualTo("HD s1000\r\n");
    reader.session.close();
    assertThat(client.ask("")).isIn("HD\r\n", "STORED\r\n");
    assertThat(client.ask("get a\r\n")).isEqualTo(hit("a", value(1000) + "end") + "END\r\n");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void anItemStaysIfThereIsNoRoomForWhatIsAppended() {
    items = items(ItemStoreOptions.MIN_BYTES, false);
    Client client = new Client(items);
    String full = "SERVER_ERROR out of memory storing object\r\n";
    client.ask(set("small", value(50)) + set("large", value(1000)));
    for (int length : new int[] {50_000, 1000, 50}) {
      for (int i = 0; client.ask(set(length + "" + i, value(length))).equals("STORED\r\n"); i++) {}
    }
    for (String mode : new String[] {"MA", "MP"}) {
      assertThat(client.ask("ms small 90 " + mode + "\r\n" + value(90) + "\r\n")).isEqualTo(full);
      assertThat(client.ask("ms large 90 " + mode + "\r\n" + value(90) + "\r\n")).isEqualTo(full);
    }
    assertThat(client.ask("mg small s\r\nmg large s\r\n")).isEqualTo("HD s50\r\nHD s1000\r\n");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void anItemThatOthersChangeAllTheTimeIsTheirs() {
    client.ask(set("a", value(1000)));
    Client joiner = new Client(items);
    String reply = joiner.turn("ms a 3 MA\r\nend\r\n");
    for (int i = 0; reply.isEmpty(); i++) {
      assertThat(client.ask(set("a", value(1000 + i)))).isEqualTo("STORED\r\n");
      reply = joiner.turn("");
    }
    assertThat(reply).isEqualTo("SERVER_ERROR out of memory storing object\r\n");
    assertThat(client.ask("mg a s\r\n")).startsWith("HD s1");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void arrivingValuesCountForTheLimit() {
    items = items(ItemStoreOptions.MIN_BYTES, false);
    Client first = new Client(items);
    first.turn("set a 0 0 600000\r\n" + value(500_000));
    Client second = new Client(items);
    assertThat(second.ask(set("b", value(500_000))))
        .isEqualTo("SERVER_ERROR out of memory storing object\r\n");
    assertThat(second.ask(set("b", value(2 << 20))))
        .isEqualTo("SERVER_ERROR out of memory storing object\r\n");
    assertThat(items.bytes()).isBetween(500_000L, ItemStoreOptions.MIN_BYTES);
    first.session.close();
    items.reclaim(items.sweep(), Sweep.BATCH);
    assertThat(second.ask(set("b", value(500_000)))).isEqualTo("STORED\r\n");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  /** The same commands on values in chunks and on values as a whole: the same replies. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void chunksMakeNoDifference(long seed) {
    try (Store plainStore = Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20))) {
      ItemStore plainItems =
          new ItemStore(
              plainStore, new ItemStoreOptions(MAX_BYTES, true, null, () -> 1_700_000_000));
      Client plain = new Client(plainItems);
      Random random = new Random(seed);
      for (int i = 0; i < 400; i++) {
        String command = command(random);
        assertThat(client.ask(command)).as(command).isEqualTo(plain.ask(command));
      }
      items.reclaim(items.sweep(), Sweep.BATCH);
      LargeValuesCheck.nothingIsPending(store, items);
      assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items));
    }
  }

  private static String command(Random random) {
    String key = "key" + random.nextInt(4);
    String value = value(random.nextInt(400));
    String[] stores = {"set", "add", "replace", "append", "prepend"};
    return switch (random.nextInt(9)) {
      case 0, 1, 2 ->
          stores[random.nextInt(5)]
              + (" " + key + " 5 0 " + value.length() + "\r\n" + value)
              + (random.nextInt(10) == 0 ? "xx" : "\r\n");
      case 3 -> "ms " + key + " " + value.length() + " MA N0 s\r\n" + value + "\r\n";
      case 4 -> "get " + key + " none key1 key2\r\n";
      case 5 -> "gat 0 key0 " + key + "\r\nmn\r\n";
      case 6 -> "mg " + key + " v s t\r\n";
      case 7 -> random.nextBoolean() ? "md " + key + " I T30\r\n" : "md " + key + " x\r\n";
      default -> random.nextBoolean() ? "delete " + key + "\r\n" : "touch " + key + " 100\r\n";
    };
  }

  /** A key that is none refuses the whole command, also when a large value was found before it. */
  @ParameterizedTest
  @ValueSource(strings = {"get", "gets", "gat 0", "gats 0"})
  void aRefusedCommandHoldsNoValueThatItHasFound(String command) {
    client.ask(set("a", value(4000)) + set("s", "small"));
    String bad = "k".repeat(251);
    for (String keys :
        new String[] {"a " + bad, "s a " + bad, "a s " + bad, "a a " + bad + " a", bad + " a"}) {
      Client other = new Client(items);
      assertThat(other.ask(command + " " + keys + "\r\n"))
          .as(keys)
          .isEqualTo("CLIENT_ERROR bad command line format\r\n");
      assertThat(items.values().readBytes()).as(keys).isZero();
      assertThat(other.ask("get s\r\n")).isEqualTo(hit("s", "small") + "END\r\n");
    }
    LargeValuesCheck.nothingIsPending(store, items);
  }
}
