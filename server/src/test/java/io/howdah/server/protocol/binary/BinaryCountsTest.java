package io.howdah.server.protocol.binary;

import static io.howdah.server.protocol.session.CommandCountsTest.ask;
import static io.howdah.server.protocol.session.CommandCountsTest.assertAdded;
import static io.howdah.server.protocol.session.CommandCountsTest.rows;
import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What each command of the binary protocol adds to the rows of {@code stats} and {@code stats
 * detail dump}: here, and in memcached 1.6.18 itself.
 */
final class BinaryCountsTest {

  private static final String ITEMS =
      """
      set p:k 0 0 1\r
      1\r
      set p:n 0 0 1\r
      9\r
      set p:t 0 0 1\r
      x\r
      """;

  private static final String TABLE =
      """
      get key=p:k                             | cmd_get 1, get_hits 1                 | get 1 hit 1 set 0 del 0
      get key=p:none                          | cmd_get 1, get_misses 1               | get 1 hit 0 set 0 del 0
      getkq key=p:none                        | cmd_get 1, get_misses 1               | get 1 hit 0 set 0 del 0
      touch key=p:k exp=30                    | cmd_touch 1, touch_hits 1             | get 1 hit 1 set 0 del 0
      touch key=p:none exp=30                 | cmd_touch 1, touch_misses 1           | get 1 hit 0 set 0 del 0
      gat key=p:k exp=30                      | cmd_touch 1, touch_hits 1             | get 1 hit 1 set 0 del 0
      gatkq key=p:none exp=30                 | cmd_touch 1, touch_misses 1           | get 1 hit 0 set 0 del 0
      set key=p:k value=2                     | cmd_set 1, total_items 1              | get 0 hit 0 set 1 del 0
      setq key=p:none value=2                 | cmd_set 1, total_items 1              | get 0 hit 0 set 1 del 0
      add key=p:k value=2                     | cmd_set 1                             | get 0 hit 0 set 1 del 0
      replace key=p:none value=2              | cmd_set 1                             | get 0 hit 0 set 1 del 0
      append key=p:k value=2                  | cmd_set 1, total_items 1              | get 0 hit 0 set 1 del 0
      prepend key=p:none value=2              | cmd_set 1                             | get 0 hit 0 set 1 del 0
      set key=p:k cas=999999999 value=2       | cas_badval 1, cmd_set 1               | get 0 hit 0 set 1 del 0
      set key=p:none cas=1 value=2            | cas_misses 1, cmd_set 1               | get 0 hit 0 set 1 del 0
      increment key=p:k                       | incr_hits 1                           | get 0 hit 0 set 0 del 0
      increment key=p:n                       | incr_hits 1, total_items 1            | get 0 hit 0 set 0 del 0
      increment key=p:t                       |                                       | get 0 hit 0 set 0 del 0
      decrement key=p:k                       | decr_hits 1                           | get 0 hit 0 set 0 del 0
      increment key=p:none exp=4294967295     | incr_misses 1                         | get 0 hit 0 set 0 del 0
      decrement key=p:none exp=4294967295     | decr_misses 1                         | get 0 hit 0 set 0 del 0
      increment key=p:none                    | total_items 1                         | get 0 hit 0 set 0 del 0
      delete key=p:k                          | delete_hits 1                         | get 0 hit 0 set 0 del 1
      delete key=p:none                       | delete_misses 1                       | get 0 hit 0 set 0 del 1
      delete key=p:k cas=999999999            |                                       | get 0 hit 0 set 0 del 1
      flush                                   | cmd_flush 1                           | get 0 hit 0 set 0 del 0
      noop                                    |                                       | get 0 hit 0 set 0 del 0
      """;

  @ParameterizedTest
  @CsvSource(textBlock = TABLE, delimiter = '|')
  void countsAsMemcached(String command, @Nullable String counts, String prefix) {
    HeapCache cache = new HeapCache();
    CommandCounters counters = new CommandCounters();
    ProtocolOptions options = new ProtocolOptions(4096, true, "1");
    Session text = new Session(cache, options, counters);
    ask(text, ITEMS + "stats detail on\r\n");
    Map<String, Long> before = rows(ask(text, "stats\r\n"));
    boolean goesOn =
        receive(
            new Session(cache, options, counters), BinaryMessages.request(command, 0), new Reply());
    assertThat(goesOn).isTrue();
    assertAdded(before, rows(ask(text, "stats\r\n")), counts);
    assertThat(counts(ask(text, "stats detail dump\r\n"))).isEqualTo(counts("PREFIX p " + prefix));
  }

  /** With {@code -Dmemcached=host:port}. Flushes it. */
  @ParameterizedTest
  @CsvSource(textBlock = TABLE, delimiter = '|')
  @EnabledIfSystemProperty(named = "memcached", matches = ".*:.*")
  void memcachedCountsSo(String command, @Nullable String counts, String prefix)
      throws IOException {
    String[] address = System.getProperty("memcached").split(":", 2);
    try (Socket text = new Socket(address[0], Integer.parseInt(address[1]));
        Socket binary = new Socket(address[0], Integer.parseInt(address[1]))) {
      text.setSoTimeout(2000);
      binary.setSoTimeout(2000);
      ask(text, "flush_all\r\n" + ITEMS + "stats detail on\r\nstats reset\r\n");
      Map<String, Long> before = rows(ask(text, "stats\r\n"));
      Map<String, Long> detail = counts(ask(text, "stats detail dump\r\n"));
      binary.getOutputStream().write(BinaryMessages.request(command, 0));
      binary.getOutputStream().write(BinaryMessages.request("noop opaque=77", 0));
      while (true) {
        ByteBuffer header = ByteBuffer.wrap(binary.getInputStream().readNBytes(24));
        int body = binary.getInputStream().readNBytes(header.getInt(8)).length;
        assertThat(body).isEqualTo(header.getInt(8));
        if (header.getInt(12) == 77) {
          break;
        }
      }
      assertAdded(before, rows(ask(text, "stats\r\n")), counts);
      Map<String, Long> added = counts(ask(text, "stats detail dump\r\n"));
      added.replaceAll((name, count) -> count - detail.getOrDefault(name, 0L));
      assertThat(added).isEqualTo(counts("PREFIX p " + prefix));
    }
  }

  private static Map<String, Long> counts(String dump) {
    String[] words = dump.lines().findFirst().orElse("").split(" ", -1);
    Map<String, Long> counts = new TreeMap<>(Map.of("get", 0L, "hit", 0L, "set", 0L, "del", 0L));
    for (int i = 2; i + 1 < words.length; i += 2) {
      counts.put(words[i], Long.valueOf(words[i + 1]));
    }
    return counts;
  }
}
