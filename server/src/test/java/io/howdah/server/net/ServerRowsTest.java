package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.StoreFigure;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.ServerRow;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each row that a server tells is in one table, from which the metrics have its kind. */
final class ServerRowsTest {

  @TempDir Path folder;

  private static Set<String> names(Stream<? extends Enum<?>> constants) {
    return constants
        .map(each -> each.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void eachRowIsInOneTableAndEachOfTheTableIsTold() throws Exception {
    ServerOptions options =
        ServerOptions.defaults()
            .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
            .withThreads(1)
            .withMode(ReplyMode.SYNC);
    Map<String, String> rows = new LinkedHashMap<>();
    try (Server server = new Server(folder, options)) {
      server.statistics(rows::put);
    }
    Set<String> own = names(Stream.of(ServerRow.values()));
    Set<String> commands = names(Stream.of(Counter.values()));
    Set<String> store =
        StoreFigure.all().stream()
            .filter(StoreFigure::isCheap)
            .map(
                each ->
                    "howdah_" + each.name().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    assertThat(rows.keySet()).containsAll(own).containsAll(commands);
    assertThat(own).doesNotContainAnyElementsOf(commands).doesNotContainAnyElementsOf(store);
    assertThat(rows.keySet().stream().filter(row -> !own.contains(row) && !commands.contains(row)))
        .isSubsetOf(store);
    for (ServerRow row : ServerRow.values()) {
      String value = rows.getOrDefault(row.name().toLowerCase(Locale.ROOT), "");
      assertThat(ServerRow.named(row.name().toLowerCase(Locale.ROOT))).isEqualTo(row);
      assertThat(value.matches("-?[0-9]+"))
          .as("%s", row)
          .isEqualTo(row.kind() != ServerRow.Kind.TEXT);
      assertThat(row.help()).isNotBlank();
    }
  }
}
