package io.howdah.server.protocol.session;

import static io.howdah.server.protocol.text.TextProtocolTest.bytes;
import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import java.io.IOException;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each command adds to the rows of {@code stats}: here, and in memcached 1.6.18 itself. */
public final class CommandCountsTest {

  private static final String ITEMS =
      "set k 0 0 1\r\n1\r\nset n 0 0 1\r\n9\r\nset t 0 0 1\r\nx\r\n";

  private static final Pattern ROW =
      Pattern.compile(
          "STAT ((?:cmd|get|delete|incr|decr|cas|touch)_(?:get|set|touch|meta|flush|hits|misses|badval)"
              + "|total_items) (\\d+)");

  private static final String TABLE =
      """
      get k none                  | cmd_get 2, get_hits 1, get_misses 1
      gat 30 k                    | cmd_touch 1, touch_hits 1
      gat 30 k none               | cmd_touch 2, touch_hits 1, touch_misses 1
      touch k 30                  | cmd_touch 1, touch_hits 1
      touch none 30               | cmd_touch 1, touch_misses 1
      set k 0 0 1/2               | cmd_set 1, total_items 1
      set k 0 -1 1/2              | cmd_set 1, total_items 1
      add k 0 0 1/2               | cmd_set 1
      add none 0 0 1/2            | cmd_set 1, total_items 1
      replace none 0 0 1/2        | cmd_set 1
      append k 0 0 1/2            | cmd_set 1, total_items 1
      cas k 0 0 1 999999999/2     | cas_badval 1, cmd_set 1
      cas none 0 0 1 1/2          | cas_misses 1, cmd_set 1
      incr k 1                    | incr_hits 1
      incr n 1                    | incr_hits 1, total_items 1
      incr t 1                    |
      incr none 1                 | incr_misses 1
      decr k 1                    | decr_hits 1
      decr none 1                 | decr_misses 1
      delete k                    | delete_hits 1
      delete none                 | delete_misses 1
      mn                          |
      flush_all                   | cmd_flush 1
      flush_all 30                | cmd_flush 1
      flush_all noreply           | cmd_flush 1
      me k                        | cmd_meta 1
      me none                     | cmd_meta 1
      mg k v                      | cmd_get 1, get_hits 1
      mg none v                   | cmd_get 1, get_misses 1
      mg k T30                    | cmd_touch 1, touch_hits 1
      mg k v T30                  | cmd_touch 1, touch_hits 1
      mg none T30                 | cmd_get 1, get_misses 1
      mg none N30 v               | cmd_get 1, get_hits 1, total_items 1
      mg none N30 T30 v           | cmd_touch 1, total_items 1, touch_hits 1
      mg k R30 v                  | cmd_get 1, get_hits 1
      ms k 1/2                    | cmd_set 1, total_items 1
      ms none 1 ME/2              | cmd_set 1, total_items 1
      ms none 1 MR/2              | cmd_set 1
      md k                        | delete_hits 1
      md none                     | delete_misses 1
      md k C999999999             | delete_misses 1
      md k I                      |
      md k I T30                  |
      md none I                   | delete_misses 1
      ma k                        | incr_hits 1
      ma k T30                    | incr_hits 1
      ma k MD                     | decr_hits 1
      ma n                        | incr_hits 1, total_items 1
      ma none                     | incr_misses 1
      ma none N0                  | total_items 1
      ma none N0 MD               | total_items 1
      ma k C999999999             |
      """;

  @ParameterizedTest
  @CsvSource(textBlock = TABLE, delimiter = '|')
  public void countsAsMemcached(String command, @Nullable String counts) {
    Session session = session();
    ask(session, ITEMS);
    Map<String, Long> before = rows(ask(session, "stats\r\n"));
    ask(session, text(command));
    assertAdded(before, rows(ask(session, "stats\r\n")), counts);
  }

  /** As memcached 1.6.45; 1.6.18 does not have the flag. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          md k x                      | delete_hits 1, total_items 1
          md k x I                    | total_items 1
          """)
  void countsWhatEmpties(String command, @Nullable String counts) {
    countsAsMemcached(command, counts);
  }

  /** With {@code -Dmemcached=host:port}. */
  @ParameterizedTest
  @CsvSource(textBlock = TABLE, delimiter = '|')
  @EnabledIfSystemProperty(named = "memcached", matches = ".*:.*")
  public void memcachedCountsSo(String command, @Nullable String counts) throws IOException {
    String[] address = System.getProperty("memcached").split(":", 2);
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.setSoTimeout(2000);
      ask(socket, "flush_all\r\n" + ITEMS);
      Map<String, Long> before = rows(ask(socket, "stats\r\n"));
      ask(socket, text(command));
      assertAdded(before, rows(ask(socket, "stats\r\n")), counts);
    }
  }

  private static Session session() {
    return new Session(
        new HeapCache(), new ProtocolOptions(4096, true, "1"), new CommandCounters());
  }

  private static String text(String command) {
    return command.replace("/", "\r\n") + "\r\n";
  }

  public static String ask(Session session, String sent) {
    Reply reply = new Reply();
    assertThat(receive(session, bytes(sent), reply)).isTrue();
    return reply.toString();
  }

  public static String ask(Socket socket, String sent) throws IOException {
    socket.getOutputStream().write(bytes(sent + "mn\r\n"));
    StringBuilder got = new StringBuilder();
    while (!got.toString().endsWith("MN\r\n")) {
      int next = socket.getInputStream().read();
      assertThat(next).isNotNegative();
      got.append((char) next);
    }
    return got.toString();
  }

  public static Map<String, Long> rows(String statistics) {
    Map<String, Long> rows = new HashMap<>();
    Matcher row = ROW.matcher(statistics);
    while (row.find()) {
      rows.put(row.group(1), Long.valueOf(row.group(2)));
    }
    return rows;
  }

  public static void assertAdded(
      Map<String, Long> before, Map<String, Long> after, @Nullable String counts) {
    StringBuilder added = new StringBuilder();
    new TreeMap<>(after)
        .forEach(
            (row, count) -> {
              long more = count - before.getOrDefault(row, 0L);
              if (more != 0) {
                added.append(added.isEmpty() ? "" : ", ").append(row).append(' ').append(more);
              }
            });
    assertThat(added.toString()).isEqualTo(counts == null ? "" : counts);
  }
}
