package io.howdah.server.protocol.session;

import static io.howdah.server.protocol.session.CommandCountsTest.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.WireProtocol;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rows of {@code stats settings}, {@code stats items} and {@code stats slabs}. */
final class StatisticsTest {

  private static final ProtocolOptions OPTIONS = new ProtocolOptions(4096, true, "1");

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(16 << 20));
  private final ItemStore items =
      new ItemStore(store, new ItemStoreOptions(8 << 20, true, null, () -> 1_700_000_000));

  @AfterEach
  void close() {
    store.close();
  }

  private Session session(ProtocolOptions options) {
    return new Session(items.connect(), options, new CommandCounters());
  }

  private static Map<String, String> rows(Session session, String command) {
    return ask(session, command + "\r\n")
        .lines()
        .filter(line -> line.startsWith("STAT "))
        .map(line -> line.split(" ", 3))
        .collect(Collectors.toMap(words -> words[1], words -> words[2]));
  }

  @Test
  void settingsTellTheOptions() {
    assertThat(rows(session(OPTIONS), "stats settings"))
        .containsEntry("oldest", "0")
        .containsEntry("shutdown_command", "no")
        .containsEntry("stat_key_prefix", ":")
        .containsEntry("detail_enabled", "no")
        .containsEntry("cas_enabled", "yes")
        .containsEntry("binding_protocol", "auto-negotiate")
        .containsEntry("auth_enabled_sasl", "no")
        .containsEntry("auth_enabled_ascii", "no")
        .containsEntry("item_size_max", "4096")
        .containsEntry("flush_enabled", "yes")
        .containsEntry("dump_enabled", "yes")
        .containsEntry("client_flags_size", "4");
    Session detailed = session(OPTIONS);
    ask(detailed, "stats detail on\r\n");
    assertThat(rows(detailed, "stats settings")).containsEntry("detail_enabled", "yes");
    ProtocolOptions others =
        new ProtocolOptions(8192, false, "1")
            .withShutdownAllowed(true)
            .withDumpAllowed(false)
            .withWireProtocol(WireProtocol.TEXT);
    assertThat(rows(session(others), "stats settings"))
        .containsEntry("shutdown_command", "yes")
        .containsEntry("binding_protocol", "ascii")
        .containsEntry("item_size_max", "8192")
        .containsEntry("flush_enabled", "no")
        .containsEntry("dump_enabled", "no");
  }

  @Test
  void anEmptyServerHasNoClassOfItems() {
    assertThat(rows(session(OPTIONS), "stats items")).isEmpty();
    assertThat(rows(session(OPTIONS), "stats slabs"))
        .isEqualTo(Map.of("active_slabs", "0", "total_malloced", "0"));
  }

  @Test
  void allItemsAreOneClassOfItemsAndSlabs() {
    Session session = session(OPTIONS);
    String value = "v".repeat(100);
    StringBuilder sets = new StringBuilder();
    for (int i = 0; i < 8000; i++) {
      sets.append("set key-").append(1000 + i).append(" 0 0 100\r\n").append(value).append("\r\n");
    }
    ask(session, sets.toString());
    ask(session, "get key-1000\r\nget key-1001\r\nget none\r\n");
    ask(session, "touch key-1000 0\r\nincr none 1\r\ndelete key-1002\r\n");
    long bytes = items.bytes();
    long count = items.size();
    assertThat(count).isEqualTo(7999);
    assertThat(bytes).isEqualTo(144 * count);
    assertThat(rows(session, "stats items")).containsEntry("items:1:number", "7999");
    assertThat(rows(session, "stats slabs"))
        .containsEntry("1:chunk_size", "144")
        .containsEntry("1:chunks_per_page", Integer.toString((1 << 20) / 144))
        .containsEntry("1:total_pages", "2")
        .containsEntry("1:total_chunks", "7999")
        .containsEntry("1:used_chunks", "7999")
        .containsEntry("1:free_chunks", "0")
        .containsEntry("1:free_chunks_end", "0")
        .containsEntry("1:mem_requested", Long.toString(bytes))
        .containsEntry("1:get_hits", "2")
        .containsEntry("1:cmd_set", "8000")
        .containsEntry("1:delete_hits", "1")
        .containsEntry("1:touch_hits", "1")
        .containsEntry("active_slabs", "1")
        .containsEntry("total_malloced", Integer.toString(2 << 20));
    ask(session, "set key-1000 0 0 200\r\n" + "v".repeat(200) + "\r\n");
    assertThat(rows(session, "stats slabs")).containsEntry("1:chunk_size", "152");
  }
}
