package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentMap;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Names of collections and of indexes that are empty, the longest, one longer, of control
 * characters, composed and decomposed, in both cases, or reserved elsewhere: each is refused by
 * every place that takes one, and nothing was made, or is another name than all others, in an open
 * store, an opened one, an export and an import.
 */
final class NamesAtTheirEndsTest {

  private static final int MAX = 255;

  private static final List<String> GOOD =
      List.of(
          "a",
          "A",
          " a",
          "a ",
          " ",
          "\t",
          "\n",
          "\r\n",
          "\0",
          "\u001b[31m",
          "\u007f",
          "\u0085",
          "\u2028",
          "\u202e",
          "\ufeff",
          "\uffff",
          "\ufffd",
          "\u00e9",
          "e\u0301",
          "\u212b",
          "\u00c5",
          "A\u030a",
          "\u00df",
          "ss",
          "SS",
          "I",
          "i",
          "\u0130",
          "\u0131",
          "\ud83d\ude00",
          "/",
          "//",
          "a/b",
          "a//b",
          ".",
          "..",
          "../a",
          "\\",
          "CON",
          "nul",
          "\"",
          "'",
          "a,b",
          "null",
          "map",
          "list of utf8",
          "-",
          "--help",
          "@file",
          "%s",
          "{0}",
          "x".repeat(MAX),
          "y".repeat(MAX - 1),
          "\u20ac".repeat(MAX),
          "\ud83d\ude00".repeat(MAX / 2));

  private static final List<String> BAD =
      List.of(
          "",
          "x".repeat(MAX + 1),
          "\u20ac".repeat(MAX + 1),
          "\ud83d\ude00".repeat(MAX / 2 + 1),
          "\ud83d",
          "\ude00",
          "a\ud83d",
          "\ude00\ud83d");

  /** Every place that makes something of a name. */
  private static final Map<String, BiConsumer<Store, String>> PLACES =
      Map.of(
          "map", (store, name) -> store.map(name, Codec.int64(), Codec.utf8()),
          "sorted map", (store, name) -> store.sortedMap(name, Codec.int64(), Codec.utf8()),
          "multimap", (store, name) -> store.multimap(name, Codec.int64(), Codec.utf8()),
          "set", (store, name) -> store.set(name, Codec.utf8()),
          "list", (store, name) -> store.list(name, Codec.utf8()),
          "queue", (store, name) -> store.queue(name, Codec.utf8()),
          "counter", Store::counter,
          "blob", Store::blob,
          "index", (store, name) -> store.map("m", Codec.int64(), Codec.utf8(), index(name)),
          "map with a journal",
              (store, name) ->
                  store.map(name, Codec.int64(), Codec.utf8(), ChangeJournal.keeping(3)));

  private static Index<String, String> index(String name) {
    return Index.of(name, value -> value, Codec.utf8());
  }

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withMaxSize(1 << 24)
        .withOrecs(1 << 10)
        .withPartitions(1)
        .withRingBytes(1 << 16)
        .withStorage(disk.storage());
  }

  private static Map<String, String> collections(Store store) {
    return store.read((Tx tx) -> new TreeMap<>(store.admin().collections(tx)));
  }

  @ParameterizedTest
  @FieldSource("BAD")
  void aNameThatCannotBeIsRefusedEverywhereAndNothingIsMade(String name) {
    try (Store store = Store.open(options(SimulatedDisk.seeded(1)))) {
      store.map("m", Codec.int64(), Codec.utf8());
      Map<String, String> before = collections(store);
      PLACES.forEach(
          (place, maker) ->
              assertThatThrownBy(() -> maker.accept(store, name))
                  .as(place)
                  .isInstanceOfAny(IllegalArgumentException.class, CodecException.class)
                  .hasMessageMatching("(?s).*(1 to 255 characters|surrogate|empty|name).*"));
      assertThat(collections(store)).isEqualTo(before);
      assertThat(store.admin().orphans()).isEmpty();
      store.list("l", Codec.utf8()); // the store goes on
    }
  }

  /** A name that fits, and does not with that of an index or of a journal behind it. */
  @Test
  void aNameThatIsTooLongWithItsIndexIsRefusedAsAWhole() {
    try (Store store = Store.open(options(SimulatedDisk.seeded(1)))) {
      String name = "x".repeat(MAX - 8); // as long as "/changes"
      store.map(name, Codec.int64(), Codec.utf8(), ChangeJournal.keeping(3));
      store.map("y".repeat(MAX - 2), Codec.int64(), Codec.utf8(), index("i"));
      Map<String, String> before = collections(store);
      assertThat(before).hasSize(4);
      assertThatThrownBy(
              () -> store.map(name + "x", Codec.int64(), Codec.utf8(), ChangeJournal.keeping(3)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () -> store.map("y".repeat(MAX - 1), Codec.int64(), Codec.utf8(), index("i")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () ->
                  store.map(
                      "y".repeat(MAX - 2), Codec.int64(), Codec.utf8(), index("i"), index("ii")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(collections(store)).isEqualTo(before);
      assertThat(store.admin().orphans()).isEmpty();
    }
  }

  private static Map<String, Long> values(Store store) {
    Map<String, Long> values = new TreeMap<>();
    for (String name : collections(store).keySet()) {
      PersistentMap<Long, Long> map = store.map(name, Codec.int64(), Codec.int64());
      values.put(name, store.read(tx -> map.getOrDefault(tx, 0L, -1L)));
    }
    return values;
  }

  @Test
  void eachNameIsAnotherOneWhereverItGoes() {
    Map<String, Long> expected = new TreeMap<>();
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    SimulatedDisk export = SimulatedDisk.seeded(2);
    try (Store store = Store.open(options(disk))) {
      for (String name : GOOD) {
        long number = expected.size();
        PersistentMap<Long, Long> map = store.map(name, Codec.int64(), Codec.int64());
        store.run(tx -> map.put(tx, 0L, number));
        assertThat(expected.put(name, number)).as(name).isNull();
      }
      assertThat(values(store)).isEqualTo(expected);
    }
    try (Store store = Store.open(options(disk))) {
      assertThat(values(store)).isEqualTo(expected);
      store.admin().export(export::storage, true);
    }
    SimulatedDisk copy = SimulatedDisk.seeded(3);
    try (Store store = Store.open(options(copy))) {
      store.admin().importFrom(export::storage);
      assertThat(values(store)).isEqualTo(expected);
      List<String> inspected = new ArrayList<>();
      store.admin().inspect().collections().forEach(each -> inspected.add(each.name()));
      assertThat(inspected).containsExactlyInAnyOrderElementsOf(expected.keySet());
      for (String name : GOOD) {
        assertThat(store.admin().drop(name)).as(name).isTrue();
        assertThat(store.admin().drop(name)).as(name).isFalse();
        expected.remove(name);
        assertThat(values(store)).isEqualTo(expected);
      }
    }
  }

  @Test
  void whatIsNoNameIsNotThere() {
    try (Store store = Store.open(options(SimulatedDisk.seeded(1)))) {
      store.counter("c");
      for (String name : BAD) {
        boolean isDropped;
        try {
          isDropped = store.admin().drop(name);
        } catch (IllegalArgumentException | CodecException e) {
          isDropped = false;
        }
        assertThat(isDropped).isFalse();
      }
      assertThat(collections(store).keySet()).containsExactly("c");
    }
  }
}
