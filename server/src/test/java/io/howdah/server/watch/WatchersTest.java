package io.howdah.server.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.howdah.server.watch.ConnectionEvents.CloseReason;
import io.howdah.server.watch.ConnectionEvents.Found;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Events, from the command to the buffer of a watcher. */
final class WatchersTest {

  private static final byte[] KEY = "a%b".getBytes(StandardCharsets.US_ASCII);

  private final Watchers watchers = new Watchers(Watchers.MIN_BUFFER_BYTES);
  private final ConnectionEvents events = watchers.connection(7);

  private Watcher watch(Set<EventKind> kinds) {
    return Objects.requireNonNull(watchers.add(kinds));
  }

  /** Returns the lines that wait, without their times. */
  private static List<String> lines(Watcher watcher) {
    byte[] taken = watcher.take();
    if (taken == null) {
      return List.of();
    }
    return new String(taken, StandardCharsets.US_ASCII)
        .lines()
        .map(line -> line.replaceFirst("^ts=[0-9]+\\.[0-9]{6} gid=[0-9]+ ", "* "))
        .toList();
  }

  private String row(String name) {
    Map<String, String> rows = new HashMap<>();
    watchers.statistics(rows::put);
    return rows.getOrDefault(name, "none");
  }

  @Test
  void eventsAreWrittenAsMemcachedDoes() throws UnknownHostException {
    Watcher watcher = watch(EnumSet.allOf(EventKind.class));
    InetSocketAddress remote =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 4000);
    events.opened(remote);
    events.fetched(KEY, Found.NOT_FOUND, 0);
    events.stored(KEY, "stored", "set", 100, 3);
    events.fetched(KEY, Found.FOUND, 3);
    watchers.evicted(KEY, true, -1, 12, 3);
    events.closed(remote, CloseReason.IDLE_TIMEOUT);
    watchers.connection(8).opened(null);
    assertThat(lines(watcher))
        .containsExactly(
            "* type=conn_new rip=127.0.0.1 rport=4000 transport=tcp cfd=7",
            "* type=item_get key=a%25b status=not_found clsid=0 cfd=7 size=0",
            "* type=item_store key=a%25b status=stored cmd=set ttl=100 clsid=1 cfd=7 size=3",
            "* type=item_get key=a%25b status=found clsid=1 cfd=7 size=3",
            "* type=eviction key=a%25b fetch=yes ttl=-1 la=12 clsid=1 size=3",
            "* type=conn_close rip=127.0.0.1 rport=4000 transport=tcp reason=idle_timeout cfd=7",
            "* type=conn_new rip=unix rport=0 transport=local cfd=8");
  }

  @Test
  void aWatcherGetsWhatItAskedForUntilItEnds() {
    Watcher mutations = watch(EnumSet.of(EventKind.MUTATIONS));
    assertThat(watchers.isWatched(EventKind.FETCHERS)).isFalse();
    Watcher both = watch(EnumSet.of(EventKind.MUTATIONS, EventKind.FETCHERS));
    events.fetched(KEY, Found.EXPIRED, 0);
    events.stored(KEY, "stored", "set", 0, 1);
    assertThat(lines(mutations)).singleElement().asString().contains("type=item_store");
    assertThat(lines(both)).hasSize(2);
    both.close();
    assertThat(watchers.isWatched(EventKind.FETCHERS)).isFalse();
    events.stored(KEY, "stored", "set", 0, 1);
    assertThat(lines(both)).isEmpty();
    assertThat(lines(mutations)).hasSize(1);
    assertThat(row("log_watchers")).isEqualTo("1");
    mutations.close();
    assertThat(row("log_watchers")).isEqualTo("0");
  }

  @Test
  void whatFindsNoRoomIsCountedAndSaidOnce() {
    Watcher deaf = watch(EnumSet.of(EventKind.FETCHERS));
    Watcher hearing = watch(EnumSet.of(EventKind.FETCHERS));
    int count = 1000;
    int heard = 0;
    for (int i = 0; i < count; i++) {
      events.fetched(KEY, Found.NOT_FOUND, 0);
      heard += lines(hearing).size();
    }
    assertThat(heard).as("lines of the watcher that reads").isEqualTo(count);
    int kept = lines(deaf).size();
    assertThat(kept).isPositive().isLessThan(Watchers.MIN_BUFFER_BYTES / 50);
    events.fetched(KEY, Found.FOUND, 1);
    events.fetched(KEY, Found.FOUND, 2);
    assertThat(lines(deaf))
        .containsExactly(
            "skipped=" + (count - kept),
            "* type=item_get key=a%25b status=found clsid=1 cfd=7 size=1",
            "* type=item_get key=a%25b status=found clsid=1 cfd=7 size=2");
    assertThat(row("log_watcher_skipped")).isEqualTo(Integer.toString(count - kept));
    assertThat(row("log_watcher_sent")).isEqualTo(Integer.toString(count + 2 + kept + 2));
  }

  @Test
  void aListenerIsCalledOnceUntilNothingIsLeft() {
    Watcher watcher = watch(EnumSet.of(EventKind.FETCHERS));
    List<String> calls = new ArrayList<>();
    events.fetched(KEY, Found.FOUND, 1);
    watcher.listen(() -> calls.add("called"));
    assertThat(calls).as("for what came before").hasSize(1);
    events.fetched(KEY, Found.FOUND, 1);
    assertThat(calls).hasSize(1);
    assertThat(lines(watcher)).hasSize(2);
    events.fetched(KEY, Found.FOUND, 1);
    assertThat(calls).as("it has not found the end yet").hasSize(1);
    assertThat(lines(watcher)).hasSize(1);
    assertThat(lines(watcher)).isEmpty();
    events.fetched(KEY, Found.FOUND, 1);
    assertThat(calls).hasSize(2);
  }

  @Test
  void thereIsALimitOfWatchersAndOfTheirBuffers() {
    for (int i = 0; i < Watchers.MAX_WATCHERS; i++) {
      watch(EnumSet.of(EventKind.FETCHERS));
    }
    assertThat(watchers.add(EnumSet.of(EventKind.FETCHERS))).isNull();
    assertThatIllegalArgumentException().isThrownBy(() -> new Watchers(100));
    byte[] longest = new byte[250];
    events.fetched(longest, Found.FOUND, 1);
    assertThat(row("log_watcher_sent")).isEqualTo(Integer.toString(Watchers.MAX_WATCHERS));
  }
}
