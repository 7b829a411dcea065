package io.howdah.server.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of the text and meta protocols: at once, in pieces, and against memcached itself. */
public final class TextProtocolTest {

  private static final ProtocolOptions OPTIONS =
      new ProtocolOptions(ProtocolOptions.DEFAULT_MAX_ITEM_BYTES, true, "1.6.45-howdah");

  private final HeapCache cache = new HeapCache();
  private final Session session = new Session(cache, OPTIONS, new CommandCounters());

  public static List<ProtocolTable> tables() throws IOException {
    List<ProtocolTable> tables = new ArrayList<>(ProtocolTable.read("text.table"));
    tables.addAll(ProtocolTable.read("meta.table"));
    tables.addAll(ProtocolTable.read("admin.table"));
    tables.addAll(ProtocolTable.read("numbers.table"));
    return tables;
  }

  @ParameterizedTest
  @MethodSource("tables")
  public void repliesAsTheTableSays(ProtocolTable table) {
    converse(session, table);
  }

  private static void converse(Session session, ProtocolTable table) {
    String cas = "0";
    for (ProtocolTable.Step step : table.steps()) {
      Reply reply = new Reply();
      boolean goesOn = receive(session, bytes(step.sent().replace("<cas>", cas)), reply);
      cas = check(step, reply.toString(), cas);
      assertThat(goesOn).isEqualTo(!step.ends());
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  public void repliesAreTheSameFromAStore(ProtocolTable table) {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(16 << 20))) {
      ItemStore items =
          new ItemStore(
              store, new ItemStoreOptions(1 << 24, true, Durability.SYNC, () -> cache.now));
      converse(new Session(items.connect(), OPTIONS, new CommandCounters()), table);
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  public void repliesAreTheSameInPieces(ProtocolTable table) {
    if (table.usesCas()) {
      return;
    }
    byte[] sent = bytes(table.allSent());
    if (sent.length > 4096) {
      return;
    }
    for (int cut = 0; cut <= sent.length; cut++) {
      Session whole = new Session(new HeapCache(), OPTIONS, new CommandCounters());
      Reply reply = new Reply();
      if (receive(whole, Arrays.copyOf(sent, cut), reply)) {
        receive(whole, Arrays.copyOfRange(sent, cut, sent.length), reply);
      }
      assertThat(reply.toString()).as("cut at %d", cut).isEqualTo(table.allExpected());
    }
    Session single = new Session(new HeapCache(), OPTIONS, new CommandCounters());
    Reply reply = new Reply();
    for (byte next : sent) {
      if (!receive(single, new byte[] {next}, reply)) {
        break;
      }
    }
    assertThat(reply.toString()).isEqualTo(table.allExpected());
  }

  /**
   * With {@code -Dmemcached=host:port}: the tables say what memcached replies. Flushes it. Those
   * whose names begin with {@code newer} are skipped if it is older than 1.6.45.
   */
  @ParameterizedTest
  @MethodSource("tables")
  @EnabledIfSystemProperty(named = "memcached", matches = ".*:.*")
  public void memcachedRepliesAsTheTableSays(ProtocolTable table) throws IOException {
    if (table.name().startsWith("howdah")) {
      return; // where we differ, as docs/server.md says
    }
    String[] address = System.getProperty("memcached").split(":", 2);
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.setSoTimeout(2000);
      exchange(socket, "flush_all\r\n", "OK\r\n");
      assumeFalse(
          table.name().startsWith("newer") && release(exchange(socket, "version\r\n", "")) < 45,
          "an older memcached");
      String cas = "0";
      for (ProtocolTable.Step step : table.steps()) {
        cas =
            check(step, exchange(socket, step.sent().replace("<cas>", cas), step.expected()), cas);
      }
    }
  }

  /** Returns the last number of a version 1.6.x. */
  private static int release(String version) {
    Matcher matcher = Pattern.compile("VERSION 1\\.6\\.(\\d+).*", Pattern.DOTALL).matcher(version);
    assertThat(matcher.matches()).as(version).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  private static String exchange(Socket socket, String sent, String expected) throws IOException {
    socket.getOutputStream().write(bytes(sent));
    // A version behind it tells where the replies end.
    socket.getOutputStream().write(bytes("mn\r\n"));
    StringBuilder got = new StringBuilder();
    byte[] buffer = new byte[65536];
    while (!got.toString().endsWith("MN\r\n")
        || (expected.endsWith("MN\r\n") && got.length() < 5)) {
      int count;
      try {
        count = socket.getInputStream().read(buffer);
      } catch (IOException e) {
        return got + e.toString();
      }
      if (count < 0) {
        return got.toString();
      }
      got.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
    }
    return got.substring(0, got.length() - 4);
  }

  public static boolean receive(Session session, byte[] bytes, Reply reply) {
    return session.receive(ByteBuffer.wrap(bytes), reply, Integer.MAX_VALUE);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Compares, and returns the last CAS value. */
  private static String check(ProtocolTable.Step step, String got, String cas) {
    Pattern pattern =
        Pattern.compile(Pattern.quote(step.expected()).replace("<cas>", "\\E(\\d+)\\Q"));
    Matcher matcher = pattern.matcher(got);
    if (!matcher.matches()) {
      fail("sent %s%nexpected %s%ngot %s", step.sent(), step.expected(), got);
    }
    return matcher.groupCount() == 0 ? cas : matcher.group(matcher.groupCount());
  }
}
