package io.howdah.server.protocol.binary;

import static io.howdah.server.protocol.session.CommandCountsTest.ask;
import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The command {@code stat} of the binary protocol, whose key is what {@code stats} is asked for.
 */
final class BinaryStatTest {

  private static final int HEADER = 24;
  private static final byte STAT = 0x10;
  private static final int NOT_FOUND = 1;

  private final HeapCache cache = new HeapCache();
  private final CommandCounters counters = new CommandCounters();
  private final ProtocolOptions options = new ProtocolOptions(4096, true, "1");
  private final Session text = new Session(cache, options, counters);
  private final Session binary = new Session(cache, options, counters);

  /** The status of the last response. */
  private int status;

  private Map<String, String> stat(String wanted) {
    byte[] key = wanted.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer request = ByteBuffer.allocate(HEADER + key.length);
    request.put((byte) 0x80).put(STAT).putShort((short) key.length).position(8);
    request.putInt(key.length).position(HEADER);
    Reply reply = new Reply();
    assertThat(receive(binary, request.put(key).array(), reply)).isTrue();
    ByteBuffer responses = ByteBuffer.wrap(reply.array(), 0, reply.length());
    Map<String, String> rows = new LinkedHashMap<>();
    boolean isLast = false;
    while (!isLast) {
      ByteBuffer header = responses.slice(responses.position(), HEADER);
      responses.position(responses.position() + HEADER);
      byte[] name = new byte[header.getShort(2)];
      byte[] value = new byte[header.getInt(8) - name.length];
      responses.get(name).get(value);
      status = header.getShort(6);
      isLast = name.length == 0;
      if (!isLast) {
        rows.put(
            new String(name, StandardCharsets.US_ASCII),
            new String(value, StandardCharsets.US_ASCII));
      }
    }
    assertThat(responses.hasRemaining()).isFalse();
    return rows;
  }

  @Test
  void theRowsAreThoseOfTheTextProtocol() {
    ask(text, "set a 0 0 1\r\nx\r\nget a\r\nget b\r\n");
    Map<String, String> rows = stat("");
    assertThat(status).isZero();
    assertThat(rows)
        .containsEntry("cmd_get", "2")
        .containsEntry("get_hits", "1")
        .containsEntry("get_misses", "1")
        .containsEntry("version", "1");
    for (String kind : new String[] {"settings", "sizes"}) {
      StringBuilder expected = new StringBuilder();
      stat(kind).forEach((k, v) -> expected.append("STAT %s %s\r\n".formatted(k, v)));
      assertThat(ask(text, "stats " + kind + "\r\n"))
          .isEqualTo(expected + "END\r\n")
          .contains("STAT");
    }
  }

  @Test
  void aResetSetsTheCountsBack() {
    ask(text, "get b\r\n");
    assertThat(stat("reset")).isEmpty();
    assertThat(status).isZero();
    assertThat(stat("")).containsEntry("cmd_get", "0").containsEntry("get_misses", "0");
  }

  @Test
  void countsByPrefixAreAskedForAndEnded() {
    assertThat(stat("detail on")).isEmpty();
    assertThat(status).isZero();
    ask(text, "get p:a\r\n");
    assertThat(stat("detail dump"))
        .containsExactly(Map.entry("detailed", "PREFIX p get 1 hit 0 set 0 del 0\r\nEND\r\n"));
    assertThat(stat("detail off")).isEmpty();
    ask(text, "get p:a\r\n");
    assertThat(stat("detail dump").get("detailed")).startsWith("PREFIX p get 1 ");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    for (String unknown : new String[] {"unknown", "detail", "detail unknown", " ", " settings"}) {
      assertThat(stat(unknown)).isEmpty();
      assertThat(status).as(unknown).isEqualTo(NOT_FOUND);
    }
  }
}
