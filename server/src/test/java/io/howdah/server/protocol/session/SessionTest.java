package io.howdah.server.protocol.session;

import static io.howdah.server.protocol.text.TextProtocolTest.bytes;
import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Refusals;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.text.TextDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits, replies that get long, and bytes that nobody who means well sends. */
final class SessionTest {

  private static final int MAX_ITEM = 4096;

  private final HeapCache cache = new HeapCache();
  private final CommandCounters counters = new CommandCounters();
  private final Reply reply = new Reply();
  private Session session = session(true);

  private Session session(boolean flushAllowed) {
    return new Session(cache, new ProtocolOptions(MAX_ITEM, flushAllowed, "1"), counters);
  }

  private boolean send(String text) {
    reply.clear(0);
    return receive(session, bytes(text), reply);
  }

  @Test
  void anEndlessLineEndsTheSession() {
    assertThat(send("x".repeat(TextDecoder.MAX_LINE_BYTES))).isTrue();
    assertThat(send("x")).isFalse();
    assertThat(send("version\r\n")).isFalse();
    assertThat(reply.length()).isZero();
  }

  @Test
  void aLineThatReadsManyKeysMayBeLonger() {
    assertThat(send("get " + "k ".repeat(4000))).isTrue();
    assertThat(send("k\r\n")).isTrue();
    assertThat(reply.toString()).isEqualTo("END\r\n");
    assertThat(send("gets " + "k ".repeat(TextDecoder.MAX_MULTIGET_BYTES / 2))).isFalse();
  }

  @Test
  void aLineOfTwentyThousandOfTheLongestKeysIsAnswered() {
    send("set b 0 0 1\r\nx\r\n");
    String keys = ("k".repeat(ProtocolOptions.MAX_KEY_BYTES) + " ").repeat(20_000);
    assertThat(send("  gets " + keys + " b \r\nmn\r\n")).isTrue();
    assertThat(reply.toString()).isEqualTo("VALUE b 0 1 1\r\nx\r\nEND\r\nMN\r\n");
    assertThat(counters.get(Counter.GET_MISSES)).isEqualTo(20_000);
    assertThat(session.heldBytes()).isZero();
  }

  @Test
  void aKeyThatIsNoneMayStandAnywhereInALongLine() {
    String keys = "k ".repeat(100_000);
    for (String bad : List.of("k".repeat(ProtocolOptions.MAX_KEY_BYTES + 1), "k\0")) {
      reply.clear(0);
      assertThat(send("get " + keys + bad + " " + keys + "\r\nmn\r\n")).isTrue();
      assertThat(reply.toString()).isEqualTo(Refusals.BAD_FORMAT + "\r\nMN\r\n");
    }
  }

  @Test
  void aLineThatIsTooLongIsToldSo() {
    assertThat(send("get " + "k ".repeat(TextDecoder.MAX_MULTIGET_BYTES / 2))).isFalse();
    assertThat(reply.toString()).isEqualTo("CLIENT_ERROR line too long\r\n");
  }

  @Test
  void manyMissingKeysAreLookedForInTurns() {
    ByteBuffer input = ByteBuffer.wrap(bytes("get " + "missing ".repeat(2000) + "\r\n"));
    int turns = 0;
    do {
      assertThat(session.receive(input, reply, 1 << 16, 1)).isTrue();
      turns++;
    } while (session.hasMore());
    assertThat(turns).as("turns of one command or one part of a reply").isGreaterThanOrEqualTo(7);
    assertThat(reply.toString()).isEqualTo("END\r\n");
    assertThat(counters.get(Counter.GET_MISSES)).isEqualTo(2000);
  }

  @Test
  void aValueThatIsTooLargeIsSwallowedAndTheOldOneIsGone() {
    send("set a 0 0 1\r\nx\r\n");
    int largest = MAX_ITEM - ProtocolOptions.ITEM_OVERHEAD_BYTES - 1;
    send("set b 0 0 " + largest + "\r\n" + "b".repeat(largest) + "\r\n");
    assertThat(reply.toString()).isEqualTo("STORED\r\n");
    int size = largest + 1;
    send(
        "set a 0 0 "
            + size
            + "\r\n"
            + "get b\r\n".repeat(size).substring(0, size)
            + "\r\nget a\r\n");
    assertThat(reply.toString()).isEqualTo("SERVER_ERROR object too large for cache\r\nEND\r\n");
    send("ms b " + size + "\r\n" + "b".repeat(size) + "\r\nmg b\r\n");
    assertThat(reply.toString()).isEqualTo("SERVER_ERROR object too large for cache\r\nEN\r\n");
    assertThat(counters.get(Counter.STORE_TOO_LARGE)).isEqualTo(2);
  }

  /** Or a client that sends it slowly would be closed for sending nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"set b 0 0 1000000\r\n", "ms b 1000000 !\r\n", "\u0080\u0001"})
  void whatIsDroppedOfAValueIsProgress(String command) {
    byte[] begin = command.getBytes(StandardCharsets.ISO_8859_1);
    if (begin[0] < 0) { // a header of 24 bytes, and 8 of extras, a key of one, and the value
      begin = Arrays.copyOf(begin, 33);
      ByteBuffer.wrap(begin).putShort(2, (short) 1).put(4, (byte) 8).putInt(8, 1_000_009);
      begin[32] = 'b';
    }
    assertThat(receive(session, begin, reply)).isTrue();
    assertThat(reply.length()).as("it is refused at once").isPositive();
    long before = session.progress();
    for (int i = 1; i <= 15; i++) {
      assertThat(receive(session, new byte[1 << 16], reply)).isTrue();
      assertThat(session.isWithinCommand()).isTrue();
      assertThat(session.progress()).isEqualTo(before + i);
    }
  }

  @Test
  void anItemDoesNotGrowBeyondTheLimit() {
    String half = "x".repeat(MAX_ITEM / 2);
    send("set a 0 0 " + half.length() + "\r\n" + half + "\r\n");
    String tooLarge = "SERVER_ERROR object too large for cache\r\n";
    send("append a 0 0 " + half.length() + "\r\n" + half + "\r\n");
    assertThat(reply.toString()).isEqualTo(tooLarge);
    send("ms a " + half.length() + " MP\r\n" + half + "\r\n");
    assertThat(reply.toString()).isEqualTo(tooLarge);
    send("mg a s\r\n");
    assertThat(reply.toString()).isEqualTo("HD s" + half.length() + "\r\n");
  }

  @Test
  void withoutMemoryTheOldValueIsGone() {
    send("set a 0 0 1\r\nx\r\nset n 0 0 1\r\n1\r\n");
    cache.isFull = true;
    send("set a 0 0 1\r\ny\r\nget a\r\n");
    assertThat(reply.toString()).isEqualTo("SERVER_ERROR out of memory storing object\r\nEND\r\n");
    send("incr n 1\r\nget n\r\n");
    assertThat(reply.toString())
        .isEqualTo("SERVER_ERROR out of memory\r\nVALUE n 0 1\r\n1\r\nEND\r\n");
    assertThat(counters.get(Counter.STORE_NO_MEMORY)).isEqualTo(2);
  }

  /** To note which client makes an item anew is a write; to read the item is none. */
  @Test
  void withoutMemoryAMetaReadServesTheItem() {
    send("ms a 1 T100\r\nx\r\nms b 1\r\ny\r\nmd b I\r\n");
    cache.isFull = true;
    send("mg a v R200\r\nmg b v\r\nmg a v\r\nmg c R200\r\n");
    assertThat(reply.toString()).isEqualTo("VA 1 Z\r\nx\r\nVA 1 Z X\r\ny\r\nVA 1\r\nx\r\nEN\r\n");
    send("mg a T5\r\nmg c N5\r\n");
    assertThat(reply.toString()).isEqualTo("SERVER_ERROR out of memory\r\n".repeat(2));
    cache.isFull = false;
    send("mg a v R200\r\n");
    assertThat(reply.toString()).isEqualTo("VA 1 W\r\nx\r\n");
  }

  @Test
  void anAnnouncedValueTakesNoMemoryBeforeItArrives() {
    Session large =
        new Session(
            cache,
            new ProtocolOptions(ProtocolOptions.MAX_MAX_ITEM_BYTES, true, "1"),
            new CommandCounters());
    receive(large, bytes("set a 0 0 4000000\r\n"), reply);
    assertThat(large.isWithinCommand()).isTrue();
    assertThat(large.heldBytes()).isLessThan(1 << 15);
  }

  @Test
  void aHalfReceivedItemIsNotVisible() {
    send("set a 0 0 10\r\n12345");
    assertThat(cache.get(bytes("a"))).isNull();
  }

  @Test
  void betweenCommandsNothingIsHeld() {
    send("get " + "k".repeat(200));
    assertThat(session.heldBytes()).isGreaterThan(200);
    send("\r\n");
    assertThat(session.isWithinCommand()).isFalse();
    assertThat(session.heldBytes()).isZero();
  }

  /** The key as it was stored, whichever form the command has. */
  @Test
  void aKeyIsShownInBase64OnlyIfItWasStoredSo() {
    send("ms p 1\r\nx\r\nms cQ== 1 b\r\nx\r\nme cA== b\r\nme p\r\nme cQ== b\r\nme q\r\n");
    assertThat(reply.toString().lines().map(line -> line.replaceFirst(" exp=.*", "")))
        .containsExactly("HD", "HD", "ME p", "ME p", "ME cQ==", "ME cQ==");
  }

  @Test
  void aFlushMayBeForbidden() {
    session = session(false);
    send("flush_all\r\n");
    assertThat(reply.toString()).isEqualTo("CLIENT_ERROR flush_all not allowed\r\n");
  }

  @Test
  void noCommandStartsWhileTheRepliesAreLong() {
    ByteBuffer input = ByteBuffer.wrap(bytes("version\r\nversion\r\nversion\r\n"));
    assertThat(session.receive(input, reply, 5)).isTrue();
    assertThat(reply.toString()).isEqualTo("VERSION 1\r\n");
    assertThat(input.remaining()).isEqualTo(18);
    assertThat(session.receive(input, reply, Integer.MAX_VALUE)).isTrue();
    assertThat(reply.toString()).isEqualTo("VERSION 1\r\n".repeat(3));
  }

  @Test
  void statisticsCountWhatCommandsDid() {
    send("set a 0 0 1\r\nx\r\nget a b\r\ntouch a 0\r\nstats\r\n");
    assertThat(reply.toString())
        .contains("STAT cmd_get 2\r\n", "STAT get_hits 1\r\n", "STAT get_misses 1\r\n")
        .contains("STAT cmd_set 1\r\n", "STAT cmd_touch 1\r\n", "STAT curr_items 1\r\n")
        .endsWith("END\r\n");
    send("stats reset\r\nstats settings\r\n");
    assertThat(reply.toString()).startsWith("RESET\r\n").contains("STAT item_size_max 4096\r\n");
    assertThat(counters.get(Counter.CMD_GET)).isZero();
  }

  /** Words of the protocols and random bytes: nothing is thrown, and little is held. */
  @Test
  void noBytesBreakASession() {
    Random random = new Random(7);
    String[] words = {
      "get ",
      "gets ",
      "set ",
      "cas ",
      "mg ",
      "ms ",
      "ma ",
      "md ",
      "me ",
      "a ",
      "0 ",
      "1 ",
      "-1 ",
      "4294967296 ",
      "18446744073709551616 ",
      "noreply",
      "\r\n",
      "\n",
      "\0",
      "\u0080",
      "b ",
      "N0 ",
      "T- ",
      "incr ",
      "touch ",
      "delete ",
      "flush_all ",
      "stats ",
      "O ",
      "E1 ",
      "k ",
      "\r"
    };
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(12); i >= 0; i--) {
        text.append(
            random.nextInt(8) == 0
                ? String.valueOf((char) random.nextInt(256))
                : words[random.nextInt(words.length)]);
      }
      if (!send(text.toString())) {
        session = session(true);
      }
      assertThat(session.heldBytes()).isLessThan(TextDecoder.MAX_MULTIGET_BYTES + 8 * MAX_ITEM);
    }
  }

  /** CAS values are unsigned numbers of 64 bits. */
  @Test
  void aStaleValueIsStoredOverANewerOneWhateverTheirCasValuesAre() {
    long[] numbers = {1, 2, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, -2, -1};
    for (long current : numbers) {
      for (long given : numbers) {
        String what = Long.toUnsignedString(given) + " over " + Long.toUnsignedString(current);
        send("ms k 1 E" + Long.toUnsignedString(current) + "\r\no\r\n");
        assertThat(reply.toString()).isEqualTo("HD\r\n");
        send("ms k 1 I C" + Long.toUnsignedString(given) + "\r\nn\r\n");
        int order = Long.compareUnsigned(given, current);
        assertThat(reply.toString()).as(what).isEqualTo(order <= 0 ? "HD\r\n" : "EX\r\n");
        send("mg k v\r\n");
        assertThat(reply.toString())
            .as(what)
            .isEqualTo(
                order == 0 ? "VA 1\r\nn\r\n" : order < 0 ? "VA 1 X W\r\nn\r\n" : "VA 1\r\no\r\n");
      }
    }
  }
}
