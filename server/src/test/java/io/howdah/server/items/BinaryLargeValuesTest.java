package io.howdah.server.items;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Large values in the binary protocol, which arrive in parts and are sent in parts, and commands
 * that wait or find no room. Values are large from 101 bytes on.
 */
final class BinaryLargeValuesTest {

  private static final int GET = 0x00;
  private static final int SET = 0x01;
  private static final int ADD = 0x02;
  private static final int INCREMENT = 0x05;
  private static final int GETQ = 0x09;
  private static final int NOOP = 0x0a;
  private static final int GETK = 0x0c;
  private static final int APPEND = 0x0e;
  private static final int PREPEND = 0x0f;
  private static final int TOUCH = 0x1c;
  private static final int GAT = 0x1d;
  private static final int GATK = 0x23;

  private static final int OK = 0;
  private static final int NOT_FOUND = 1;
  private static final int EXISTS = 2;
  private static final int NOT_A_NUMBER = 6;
  private static final int NO_MEMORY = 0x82;

  private static final int HEADER_BYTES = 24;
  private static final int CHUNK_BYTES = 100;
  private static final int MAX_TURNS = 100_000;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20));
  private final CommandCounters counters = new CommandCounters();
  private ItemStore items = items(4 << 20, true);

  private record Response(int opcode, int status, String key, String value) {}

  @AfterEach
  void close() {
    store.close();
  }

  private ItemStore items(long maxBytes, boolean evicts) {
    return new ItemStore(
        store,
        new ItemStoreOptions(maxBytes, evicts, null, () -> 1_700_000_000, 5000),
        Numbering.RANGE,
        CHUNK_BYTES);
  }

  private final class Client {
    final Session session =
        new Session(
            items.connect(),
            new ProtocolOptions(ProtocolOptions.MAX_MAX_ITEM_BYTES, true, "1"),
            counters);
    private final Reply reply = new Reply();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    /** Sends bytes, and receives one turn's replies; returns whether the connection stays. */
    boolean turn(byte[] bytes) {
      return turn(ByteBuffer.wrap(bytes));
    }

    private boolean turn(ByteBuffer input) {
      boolean goesOn = session.receive(input, reply, 1, 1);
      received.write(reply.array(), 0, reply.length());
      reply.clear(0);
      return goesOn;
    }

    /** Sends bytes, and returns all responses, with those of the turns before. */
    List<Response> ask(byte[] bytes) {
      ByteBuffer input = ByteBuffer.wrap(bytes);
      int turns = 0;
      do {
        assertThat(turns++).isLessThan(MAX_TURNS);
        assertThat(turn(input)).isTrue();
      } while (input.hasRemaining() || session.hasMore());
      ByteBuffer all = ByteBuffer.wrap(received.toByteArray());
      received.reset();
      List<Response> responses = new ArrayList<>();
      while (all.hasRemaining()) {
        responses.add(response(all));
      }
      return responses;
    }
  }

  private static Response response(ByteBuffer bytes) {
    int at = bytes.position();
    assertThat(bytes.get(at) & 0xff).isEqualTo(0x81);
    int keyBytes = bytes.getShort(at + 2);
    int extrasBytes = bytes.get(at + 4);
    byte[] body = new byte[bytes.getInt(at + 8)];
    bytes.get(at + HEADER_BYTES, body);
    bytes.position(at + HEADER_BYTES + body.length);
    String text = new String(body, extrasBytes, body.length - extrasBytes, ISO_8859_1);
    return new Response(
        bytes.get(at + 1),
        bytes.getShort(at + 6),
        text.substring(0, keyBytes),
        text.substring(keyBytes));
  }

  private static byte[] request(int opcode, byte[] extras, String key, String value) {
    return ByteBuffer.allocate(HEADER_BYTES + extras.length + key.length() + value.length())
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) key.length())
        .put((byte) extras.length)
        .put(new byte[3])
        .putInt(extras.length + key.length() + value.length())
        .put(new byte[12])
        .put(extras)
        .put(key.getBytes(ISO_8859_1))
        .put(value.getBytes(ISO_8859_1))
        .array();
  }

  private static byte[] get(int opcode, String key) {
    boolean touches = opcode == TOUCH || opcode == GAT || opcode == GATK;
    return request(opcode, new byte[touches ? 4 : 0], key, "");
  }

  private static byte[] set(String key, String value) {
    return request(SET, new byte[8], key, value);
  }

  private static String value(int length) {
    Random random = new Random(length);
    StringBuilder value = new StringBuilder(length);
    while (value.length() < length) {
      value.append((char) ('a' + random.nextInt(26)));
    }
    return value.toString();
  }

  private static byte[] joined(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(100_000);
    for (byte[] part : parts) {
      all.put(part);
    }
    byte[] joined = new byte[all.position()];
    all.flip().get(joined);
    return joined;
  }

  @ParameterizedTest
  @ValueSource(ints = {99, 100, 101, 200, 201, 1000, 4999})
  void valuesComeBackWhateverTheirLength(int length) {
    Client client = new Client();
    String value = value(length);
    assertThat(client.ask(set("a", value))).containsExactly(new Response(SET, OK, "", ""));
    assertThat(client.ask(joined(get(GET, "a"), get(NOOP, ""))))
        .containsExactly(new Response(GET, OK, "", value), new Response(NOOP, OK, "", ""));
    for (int opcode : new int[] {GETK, GATK}) {
      assertThat(client.ask(get(opcode, "a")))
          .containsExactly(new Response(opcode, OK, "a", value));
    }
    assertThat(client.ask(get(GAT, "a"))).containsExactly(new Response(GAT, OK, "", value));
    assertThat(client.ask(get(TOUCH, "a"))).containsExactly(new Response(TOUCH, OK, "", ""));
    assertThat(client.ask(request(INCREMENT, new byte[20], "a", "")))
        .singleElement()
        .extracting(Response::status)
        .isEqualTo(NOT_A_NUMBER);
    assertThat(client.ask(request(ADD, new byte[8], "a", value(300))))
        .singleElement()
        .extracting(Response::status)
        .isEqualTo(EXISTS);
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(items.values().readBytes()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"60, 30", "60, 60", "1000, 3", "3, 1000", "1000, 1000"})
  void whatIsAppendedAndPrependedIsJoined(int old, int more) {
    Client client = new Client();
    client.ask(set("a", value(old)));
    assertThat(client.ask(request(APPEND, new byte[0], "a", value(more))))
        .containsExactly(new Response(APPEND, OK, "", ""));
    assertThat(client.ask(request(PREPEND, new byte[0], "a", value(more))))
        .containsExactly(new Response(PREPEND, OK, "", ""));
    assertThat(client.ask(get(GET, "a")))
        .containsExactly(new Response(GET, OK, "", value(more) + value(old) + value(more)));
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @ParameterizedTest
  @ValueSource(ints = {GET, GETQ, GETK, GAT, GATK})
  void aReaderWaitsForOthersBeyondTheLimit(int opcode) {
    Client client = new Client();
    client.ask(joined(set("a", value(4000)), set("b", value(3000))));
    Client first = new Client();
    first.turn(get(GET, "a"));
    Client second = new Client();
    assertThat(second.turn(get(opcode, "b"))).as("the connection stays").isTrue();
    assertThat(second.session.isWaiting()).isTrue();
    for (int i = 0; i < 3; i++) {
      second.turn(new byte[0]);
      assertThat(second.received.size()).isZero();
    }
    assertThat(first.ask(new byte[0])).containsExactly(new Response(GET, OK, "", value(4000)));
    String key = opcode == GETK || opcode == GATK ? "b" : "";
    assertThat(second.ask(new byte[0])).containsExactly(new Response(opcode, OK, key, value(3000)));
    assertThat(second.session.isWaiting()).isFalse();
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(items.values().readBytes()).isZero();
  }

  @Test
  void whatFindsNoRoomSaysSoAndLeavesWhatWasRepliedBefore() {
    items = items(ItemStoreOptions.MIN_BYTES, false);
    Client client = new Client();
    for (int length : new int[] {50_000, 1000, 50, 1}) {
      String value = value(length);
      for (int i = 0; client.ask(set(length + "" + i, value)).get(0).status() == OK; i++) {}
    }
    long refused = counters.get(Counter.STORE_NO_MEMORY);
    assertThat(refused).isPositive();
    byte[] creates = request(INCREMENT, new byte[20], "n", "");
    client.turn(get(NOOP, ""));
    client.turn(creates);
    assertThat(client.ask(joined(get(GET, "n"), set("x", value(500)), get(GET, "x"))))
        .containsExactly(
            new Response(NOOP, OK, "", ""),
            new Response(INCREMENT, NO_MEMORY, "", "Out of memory"),
            new Response(GET, NOT_FOUND, "", "Not found"),
            new Response(SET, NO_MEMORY, "", "Out of memory"),
            new Response(GET, NOT_FOUND, "", "Not found"));
    assertThat(counters.get(Counter.STORE_NO_MEMORY)).isEqualTo(refused + 2);
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aReadIsAUse() {
    Client client = new Client();
    ConnectionCache cache = items.connect();
    for (int opcode : new int[] {GET, GETK, GAT, GATK, TOUCH}) {
      client.ask(set("a", "x"));
      byte[] key = {'a'};
      assertThat(cache.isFetched(key)).isFalse();
      client.ask(get(opcode, "a"));
      assertThat(cache.isFetched(key)).as("opcode %x", opcode).isTrue();
    }
  }

  @Test
  void aConnectionThatEndsFreesWhatItHolds() {
    Client client = new Client();
    client.ask(set("a", value(4000)));
    Client reader = new Client();
    reader.turn(get(GETK, "a"));
    Client writer = new Client();
    byte[] begun = set("b", value(4000));
    writer.turn(Arrays.copyOf(begun, 3000));
    assertThat(items.values().pendingBytes()).isGreaterThan(2000);
    assertThat(items.values().held()).isEqualTo(2);
    reader.session.close();
    writer.session.close();
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(client.ask(get(GET, "b")))
        .containsExactly(new Response(GET, NOT_FOUND, "", "Not found"));
  }
}
