package io.howdah.server.protocol.binary;

import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.WireProtocol;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.protocol.text.TextProtocolTest;
import io.howdah.txn.Durability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of the binary protocol: at once, in pieces, and against memcached itself. */
final class BinaryProtocolTest {

  private static final ProtocolOptions OPTIONS =
      new ProtocolOptions(ProtocolOptions.DEFAULT_MAX_ITEM_BYTES, true, "1.6.45-howdah");

  /** What no table uses: the response to it tells where the responses end. */
  private static final int LAST_OPAQUE = 0x0fff_ffff;

  private final HeapCache cache = new HeapCache();

  static List<BinaryTable> tables() throws IOException {
    return BinaryTable.read("binary.table");
  }

  private Session session() {
    return new Session(cache, OPTIONS, new CommandCounters());
  }

  @ParameterizedTest
  @MethodSource("tables")
  void repliesAsTheTableSays(BinaryTable table) {
    converse(session(), table);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void repliesAreTheSameFromAStore(BinaryTable table) {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(16 << 20))) {
      ItemStore items =
          new ItemStore(
              store, new ItemStoreOptions(1 << 24, true, Durability.SYNC, () -> cache.now));
      converse(new Session(items.connect(), OPTIONS, new CommandCounters()), table);
    }
  }

  private static void converse(Session session, BinaryTable table) {
    long[] cas = {0};
    for (BinaryTable.Step step : table.steps()) {
      Reply reply = new Reply();
      boolean goesOn = receive(session, sent(step, cas[0]), reply);
      assertThat(responses(reply, cas)).as("%s", step.sent()).isEqualTo(step.expected());
      assertThat(goesOn).as("%s", step.sent()).isEqualTo(!step.ends());
    }
  }

  private static byte[] sent(BinaryTable.Step step, long cas) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    step.sent().forEach(line -> bytes.writeBytes(BinaryMessages.request(line, cas)));
    return bytes.toByteArray();
  }

  private static List<String> responses(Reply reply, long[] cas) {
    ByteBuffer buffer = ByteBuffer.wrap(reply.array(), 0, reply.length());
    List<String> responses = new ArrayList<>();
    while (buffer.hasRemaining()) {
      responses.add(BinaryMessages.response(buffer, cas));
    }
    return responses;
  }

  @ParameterizedTest
  @MethodSource("tables")
  void repliesAreTheSameInPieces(BinaryTable table) {
    if (table.usesCas()) {
      return;
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    List<String> expected = new ArrayList<>();
    for (BinaryTable.Step step : table.steps()) {
      all.writeBytes(sent(step, 0));
      expected.addAll(step.expected());
    }
    byte[] sent = all.toByteArray();
    if (sent.length > 4096) {
      return;
    }
    for (int cut = 0; cut <= sent.length; cut++) {
      Session session = new Session(new HeapCache(), OPTIONS, new CommandCounters());
      Reply reply = new Reply();
      if (receive(session, Arrays.copyOf(sent, cut), reply)) {
        receive(session, Arrays.copyOfRange(sent, cut, sent.length), reply);
      }
      assertThat(responses(reply, new long[1])).as("cut at %d", cut).isEqualTo(expected);
    }
    Session single = new Session(new HeapCache(), OPTIONS, new CommandCounters());
    Reply reply = new Reply();
    for (byte next : sent) {
      if (!receive(single, new byte[] {next}, reply)) {
        break;
      }
    }
    assertThat(responses(reply, new long[1])).isEqualTo(expected);
  }

  /** With {@code -Dmemcached=host:port}: the table says what memcached replies. Flushes it. */
  @ParameterizedTest
  @MethodSource("tables")
  @EnabledIfSystemProperty(named = "memcached", matches = ".*:.*")
  void memcachedRepliesAsTheTableSays(BinaryTable table) throws IOException {
    if (table.name().startsWith("howdah") || table.name().startsWith("1.6.45")) {
      return; // where we differ, as docs/server.md says, or memcached 1.6.18 does
    }
    String[] address = System.getProperty("memcached").split(":", 2);
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.setSoTimeout(2000);
      long[] cas = {0};
      exchange(socket, BinaryMessages.request("flush", 0), cas, false);
      for (BinaryTable.Step step : table.steps()) {
        List<String> got = exchange(socket, sent(step, cas[0]), cas, step.ends());
        assertThat(got).as("%s", step.sent()).isEqualTo(step.expected());
      }
    }
  }

  private static List<String> exchange(Socket socket, byte[] sent, long[] cas, boolean ends)
      throws IOException {
    socket.getOutputStream().write(sent);
    if (!ends) { // bytes behind the end would let the system drop the responses
      socket.getOutputStream().write(BinaryMessages.request("noop opaque=" + LAST_OPAQUE, 0));
    }
    List<String> responses = new ArrayList<>();
    while (true) {
      byte[] header = socket.getInputStream().readNBytes(24);
      if (header.length < 24) {
        return responses;
      }
      int body = ByteBuffer.wrap(header).getInt(8);
      byte[] whole = Arrays.copyOf(header, 24 + body);
      System.arraycopy(socket.getInputStream().readNBytes(body), 0, whole, 24, body);
      String response = BinaryMessages.response(ByteBuffer.wrap(whole), cas);
      if (response.endsWith("opaque=" + LAST_OPAQUE)) {
        return responses;
      }
      responses.add(response);
    }
  }

  @Test
  void anAnnouncedValueTakesNoMemoryBeforeItArrives() {
    Session session = session();
    byte[] request = BinaryMessages.request("set key=a value={1000000*x}", 0);
    receive(session, Arrays.copyOf(request, 24 + 8 + 1), new Reply());
    assertThat(session.isWithinCommand()).isTrue();
    assertThat(session.heldBytes()).isZero();
    receive(session, Arrays.copyOfRange(request, 33, 34), new Reply());
    assertThat(session.heldBytes()).isPositive().isLessThan(1 << 15);
  }

  @Test
  void aHalfReceivedItemIsNotVisible() {
    byte[] request = BinaryMessages.request("set key=a value=12345", 0);
    receive(session(), Arrays.copyOf(request, request.length - 1), new Reply());
    assertThat(cache.get(new byte[] {'a'})).isNull();
  }

  @Test
  void anItemTooLargeIsSwallowedWithoutBeingHeld() {
    Session session =
        new Session(cache, new ProtocolOptions(4096, true, "1"), new CommandCounters());
    Reply reply = new Reply();
    receive(session, BinaryMessages.request("set key=a value=old", 0), reply);
    reply.clear(0);
    receive(session, BinaryMessages.request("set key=a value={5000*x}", 0), reply);
    assertThat(session.heldBytes()).isZero();
    receive(session, BinaryMessages.request("get key=a", 0), reply);
    receive(session, BinaryMessages.request("append key=a value={5000*x}", 0), reply);
    receive(session, BinaryMessages.request("noop", 0), reply);
    assertThat(responses(reply, new long[1]))
        .containsExactly(
            "set too-large value=too large.",
            "get not-found value=not found",
            "append too-large value=too large.",
            "noop ok");
  }

  @Test
  void withoutMemoryTheOldValueIsGone() {
    Session session = session();
    receive(session, BinaryMessages.request("set key=a value=old", 0), new Reply());
    cache.isFull = true;
    Reply reply = new Reply();
    receive(session, BinaryMessages.request("setq key=a value=new", 0), reply);
    receive(session, BinaryMessages.request("get key=a", 0), reply);
    receive(session, BinaryMessages.request("incrementq key=b", 0), reply);
    assertThat(responses(reply, new long[1]))
        .containsExactly(
            "setq no-memory value=out of memory",
            "get not-found value=not found",
            "incrementq no-memory value=out of memory");
  }

  @Test
  void theOptionsSayWhichProtocolsAreSpoken() {
    Session text =
        new Session(cache, OPTIONS.withWireProtocol(WireProtocol.TEXT), new CommandCounters());
    Reply reply = new Reply();
    receive(text, BinaryMessages.request("noop", 0), reply);
    receive(text, TextProtocolTest.bytes("\r\n"), reply);
    assertThat(reply.toString()).startsWith("CLIENT_ERROR bad command line format\r\n");
    Session binary =
        new Session(cache, OPTIONS.withWireProtocol(WireProtocol.BINARY), new CommandCounters());
    reply.clear(0);
    assertThat(receive(binary, TextProtocolTest.bytes("mn\r\n"), reply)).isFalse();
    assertThat(reply.length()).isZero();
  }

  @Test
  void statisticsAreOneResponseARow() {
    Reply reply = new Reply();
    receive(session(), BinaryMessages.request("stat", 0), reply);
    assertThat(responses(reply, new long[1]))
        .contains("stat ok key=curr-items value=0")
        .endsWith("stat ok");
    reply.clear(0);
    receive(session(), BinaryMessages.request("stat key=settings", 0), reply);
    assertThat(responses(reply, new long[1]))
        .contains("stat ok key=item-size-max value=1048576")
        .endsWith("stat ok");
    reply.clear(0);
    receive(session(), BinaryMessages.request("stat key=nonsense", 0), reply);
    assertThat(responses(reply, new long[1])).containsExactly("stat not-found value=not found");
  }

  /** Headers of random and of nearly right lengths: nothing is thrown, and little is held. */
  @Test
  void noBytesBreakASession() {
    Random random = new Random(11);
    Session session = session();
    Reply reply = new Reply();
    for (int round = 0; round < 50_000; round++) {
      byte[] request = new byte[24 + random.nextInt(64)];
      random.nextBytes(request);
      request[0] = (byte) (random.nextInt(50) == 0 ? random.nextInt() : 0x80);
      request[1] = (byte) random.nextInt(0x28);
      ByteBuffer header = ByteBuffer.wrap(request);
      if (random.nextInt(4) != 0) {
        int extras = new int[] {0, 4, 8, 20, random.nextInt(256)}[random.nextInt(5)];
        int key = random.nextInt(8);
        header.putShort(2, (short) key).put(4, (byte) extras);
        header.putInt(8, extras + key + (random.nextInt(3) == 0 ? 0 : random.nextInt(40)));
      }
      reply.clear(1 << 16);
      if (!receive(session, request, reply)) {
        session = session();
      }
      assertThat(session.heldBytes()).isLessThan(1 << 21);
    }
  }
}
