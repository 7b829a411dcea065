package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.derived.Codecs;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys whose codec has come to write other bytes than it has stored: what goes over all entries
 * removes them nevertheless.
 */
@Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KeysOfOtherBytesTest {

  private static final List<String> KEYS = List.of("A", "b", "C");

  private final SettableClock clock = new SettableClock();
  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withClock(clock).withExecution(new NoReclaiming()));

  @AfterEach
  void close() {
    store.close();
  }

  private static OrderedCodec<String> before() {
    return Codecs.map("name", Codec.utf8(), name -> name, name -> name);
  }

  /** Decodes upper case, or lower case, in any case what it was not. */
  private static OrderedCodec<String> after(boolean upper) {
    return Codecs.map(
        "name",
        Codec.utf8(),
        name -> upper ? name.toUpperCase(Locale.ROOT) : name.toLowerCase(Locale.ROOT),
        name -> name);
  }

  private PersistentMap<String, Long> map() {
    PersistentMap<String, Long> map = store.map("m", before(), Codec.int64());
    store.run(tx -> KEYS.forEach(key -> map.put(tx, key, 1L)));
    return store.map("m", after(false), Codec.int64());
  }

  private PersistentSortedMap<String, Long> sorted() {
    PersistentSortedMap<String, Long> map = store.sortedMap("s", before(), Codec.int64());
    store.run(tx -> KEYS.forEach(key -> map.put(tx, key, 1L)));
    return store.sortedMap("s", after(false), Codec.int64());
  }

  private void requireEmpty(KeyedCollection<?, ?> map) {
    assertThat(store.<Long, RuntimeException>read((Tx tx) -> map.size(tx))).isZero();
  }

  @Test
  void clearRemovesThem() {
    PersistentMap<String, Long> map = map();
    store.run(map::clear);
    requireEmpty(map);
    PersistentSortedMap<String, Long> sorted = sorted();
    store.run(sorted::clear);
    requireEmpty(sorted);
  }

  @Test
  void viewsRemoveThem() {
    PersistentMap<String, Long> map = map();
    map.asMap().clear();
    requireEmpty(map);
    PersistentSortedMap<String, Long> sorted = sorted();
    store.run(tx -> sorted.asMap(tx).clear());
    requireEmpty(sorted);
    assertThat(sorted().asMap().pollFirstEntry()).isEqualTo(Map.entry("a", 1L));
    assertThat(sorted.asMap().pollLastEntry()).isEqualTo(Map.entry("b", 1L));
    assertThat(sorted.asMap().navigableKeySet().pollFirst()).isEqualTo("c");
    assertThat(sorted.asMap().pollFirstEntry()).isNull();
    sorted().asMap().headMap("D").clear();
    assertThat(store.<List<String>, RuntimeException>read((Tx tx) -> sorted.keys(tx).toList()))
        .containsExactly("b");
  }

  @Test
  void aMultimapRemovesAllValuesOfAKey() {
    PersistentMultimap<String, String> map = store.multimap("x", Codec.utf8(), before());
    store.run(tx -> KEYS.forEach(value -> map.put(tx, "key", value)));
    store.run(tx -> map.put(tx, "kez", "D"));
    PersistentMultimap<String, String> after = store.multimap("x", Codec.utf8(), after(false));
    assertThat(store.<Long, RuntimeException>call(tx -> after.removeAll(tx, "key"))).isEqualTo(3);
    assertThat(store.<Long, RuntimeException>call(tx -> after.removeAll(tx, "key"))).isZero();
    assertThat(store.<Long, RuntimeException>read((Tx tx) -> after.size(tx))).isEqualTo(1);
  }

  @Test
  void expiredOnesAreReclaimed() {
    Expiry expiry = Expiry.after(Duration.ofSeconds(1));
    PersistentMap<String, Long> stored = store.map("e", before(), Codec.int64(), expiry);
    store.run(tx -> KEYS.forEach(key -> stored.put(tx, key, 1L)));
    PersistentMap<String, Long> map = store.map("e", after(false), Codec.int64(), expiry);
    clock.move(2000);
    assertThat(map.expiry().reclaim()).isEqualTo(3);
    assertThat(store.<Long, RuntimeException>read((Tx tx) -> map.expiry().storedEntries(tx)))
        .isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anIndexIsBuiltOverThem(boolean upper) {
    List<String> keys = IntStream.range(1000, 1200).mapToObj(i -> "Kk" + i).toList();
    Index<Long, Long> index = Index.of("v", (Long value) -> value, Codec.int64());
    PersistentSortedMap<String, Long> sorted = store.sortedMap("i", before(), Codec.int64());
    store.run(tx -> keys.forEach(key -> sorted.put(tx, key, 7L)));
    PersistentSortedMap<String, Long> indexed =
        store.sortedMap("i", after(upper), Codec.int64(), index);
    assertThat(store.<Long, RuntimeException>read((Tx tx) -> indexed.index(index).size(tx)))
        .isEqualTo(200);
  }
}
