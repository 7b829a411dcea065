package io.howdah.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Every command of every client, with the client's own defaults. */
@ParameterizedClass
@EnumSource
final class ClientsTest {

  private static final int BULK = 4000;

  private static ServerProcess server;

  @Parameter ClientKind kind;

  private CacheClient client;
  private String key;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException {
    server = Servers.start(folder, 0);
  }

  @AfterAll
  static void stop() throws IOException {
    assertThat(server.stop()).as(server::output).isIn(0, 143);
    assertThat(server.output()).doesNotContain("LEAK", "Exception", "WARNING");
  }

  @BeforeEach
  void connect() throws Exception {
    client = kind.connect(server.port());
    key = kind + ":k";
    client.delete(key);
  }

  @AfterEach
  void disconnect() throws Exception {
    client.close();
  }

  @Test
  void setAndGet() throws Exception {
    assertThat(client.get(key)).isNull();
    assertThat(client.set(key, 0, "v")).isTrue();
    assertThat(client.get(key)).isEqualTo("v");
    assertThat(client.set(key, 0, "")).isTrue();
    assertThat(client.get(key)).isEmpty();
  }

  @Test
  void addAndReplace() throws Exception {
    assertThat(client.replace(key, "r")).isFalse();
    assertThat(client.add(key, "a")).isTrue();
    assertThat(client.add(key, "b")).isFalse();
    assertThat(client.get(key)).isEqualTo("a");
    assertThat(client.replace(key, "r")).isTrue();
    assertThat(client.get(key)).isEqualTo("r");
  }

  @Test
  void appendAndPrepend() throws Exception {
    assertThat(client.append(key, "x")).isFalse();
    assertThat(client.prepend(key, "x")).isFalse();
    assertThat(client.set(key, 0, "b")).isTrue();
    assertThat(client.append(key, "c")).isTrue();
    assertThat(client.prepend(key, "a")).isTrue();
    assertThat(client.get(key)).isEqualTo("abc");
  }

  @Test
  void casStoresOnlyOverTheValueThatWasRead() throws Exception {
    assertThat(client.gets(key)).isNull();
    assertThat(client.set(key, 0, "1")).isTrue();
    CacheClient.Versioned read = client.gets(key);
    assertThat(read).isNotNull();
    assertThat(read.value()).isEqualTo("1");
    assertThat(client.set(key, 0, "2")).isTrue();
    assertThat(client.cas(key, "3", read.cas())).isFalse();
    read = client.gets(key);
    assertThat(read).isNotNull();
    assertThat(client.cas(key, "3", read.cas())).isTrue();
    assertThat(client.cas(key, "4", read.cas())).isFalse();
    assertThat(client.get(key)).isEqualTo("3");
  }

  @Test
  void incrementAndDecrement() throws Exception {
    assertThat(client.increment(key, 1)).isEqualTo(-1);
    assertThat(client.decrement(key, 1)).isEqualTo(-1);
    assertThat(client.set(key, 0, "41")).isTrue();
    assertThat(client.increment(key, 1)).isEqualTo(42);
    assertThat(client.increment(key, 1L << 40)).isEqualTo((1L << 40) + 42);
    assertThat(client.decrement(key, 1L << 40)).isEqualTo(42);
    assertThat(client.decrement(key, 50)).isEqualTo(0);
  }

  @Test
  void deleted() throws Exception {
    assertThat(client.delete(key)).isFalse();
    assertThat(client.set(key, 0, "v")).isTrue();
    assertThat(client.delete(key)).isTrue();
    assertThat(client.get(key)).isNull();
  }

  @Test
  void manyKeysAtOnce() throws Exception {
    Map<String, String> stored = new TreeMap<>();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      keys.add(key + i);
      if (i % 3 != 0) {
        stored.put(key + i, "v" + i);
        assertThat(client.set(key + i, 0, "v" + i)).isTrue();
      }
    }
    assertThat(client.getAll(keys)).containsExactlyInAnyOrderEntriesOf(stored);
  }

  @Test
  void touchedAndExpired() throws Exception {
    assertThat(client.touch(key, 100)).isFalse();
    assertThat(client.set(key, 2_000_000_000, "v")).isTrue(); // a time since 1970
    assertThat(client.get(key)).isEqualTo("v");
    // A time of one second counts whole seconds of the clock: the item may expire before the touch.
    Await.until(
        "an item is touched before it expires",
        () -> client.set(key, 1, "v") && client.touch(key, 1000));
    assertThat(client.set(key + 2, 1, "v")).isTrue();
    Await.until("an item expires", () -> client.get(key + 2) == null);
    assertThat(client.get(key)).isEqualTo("v");
  }

  @Test
  void readAndTouched() throws Exception {
    Assumptions.assumeTrue(client.getsAndTouches(), "the client has no such command");
    assertThat(client.getAndTouch(key, 1000)).isNull();
    assertThat(client.set(key, 0, "v")).isTrue();
    assertThat(client.getAndTouch(key, 1)).isEqualTo("v");
    Await.until("an item expires", () -> client.get(key) == null);
  }

  @Test
  void flushed() throws Exception {
    assertThat(client.set(key, 0, "v")).isTrue();
    assertThat(client.flush()).isTrue();
    assertThat(client.get(key)).isNull();
    assertThat(client.set(key, 0, "w")).isTrue();
    assertThat(client.get(key)).isEqualTo("w");
  }

  @Test
  void largeValues() throws Exception {
    StringBuilder text = new StringBuilder();
    Random random = new Random(1);
    while (text.length() < 700_000) { // grows if it is compressed: base64 of random bits does not
      text.append((char) (' ' + random.nextInt(95)));
    }
    String value = text.toString();
    assertThat(client.set(key, 0, value)).isTrue();
    assertThat(client.get(key)).isEqualTo(value);
    String compressible = "all work and no play ".repeat(20_000);
    assertThat(client.set(key, 0, compressible)).isTrue();
    assertThat(client.get(key)).isEqualTo(compressible);
  }

  @Test
  void objectsAndTextsInOtherScripts() throws Exception {
    ArrayList<Object> object = new ArrayList<>(List.of("one", 2, 3L, Map.of("four", 4.0)));
    assertThat(client.setObject(key, object)).isTrue();
    assertThat(client.getObject(key)).isEqualTo(object);
    assertThat(client.setObject(key, 12L)).isTrue();
    assertThat(client.getObject(key)).isEqualTo(12L);
    assertThat(client.set(key, 0, "\u0939\u094c\u0926\u093e \r\nEND\r\n")).isTrue();
    assertThat(client.get(key)).isEqualTo("\u0939\u094c\u0926\u093e \r\nEND\r\n");
  }

  @Test
  void statisticsHaveRows() throws Exception {
    assertThat(client.statistics()).containsKeys("pid", "curr_items", "cmd_get", "get_hits");
  }

  @Test
  void thousandsOfCommandsWithoutWaiting() throws Exception {
    List<Future<Boolean>> stored = new ArrayList<>();
    for (int i = 0; i < BULK; i++) {
      stored.add(client.setLater(key + i, "value " + i));
    }
    for (Future<Boolean> each : stored) {
      assertThat(each.get(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    List<Future<String>> read = new ArrayList<>();
    for (int i = 0; i < BULK; i++) {
      read.add(client.getLater(key + i));
    }
    for (int i = 0; i < BULK; i++) {
      assertThat(read.get(i).get(Await.SECONDS, TimeUnit.SECONDS)).isEqualTo("value " + i);
    }
  }
}
