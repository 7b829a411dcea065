package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentMap;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Maps whose names contain the separator of indexes and journals, or begin like others, with
 * indexes and journals: inspected, exported, imported, and dropped one by one, in several orders.
 */
final class NamesWithSeparatorsInAStoreTest {

  private static final List<String> NAMES =
      List.of("a", "a/", "a//y", "/", "/a", "a/b", "a/b/c", "ab", "a.", "a0", "a\0", "changes");

  private static final Index<String, String> INDEX =
      Index.of("x", value -> value + " by x", Codec.utf8());

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withMaxSize(1 << 24)
        .withOrecs(1 << 10)
        .withPartitions(1)
        .withRingBytes(1 << 16)
        .withStorage(disk.storage());
  }

  private static PersistentMap<Long, String> open(Store store, String name) {
    return store.map(name, Codec.int64(), Codec.utf8(), INDEX, ChangeJournal.keeping(10));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void eachMapKeepsWhatItHas(long seed) {
    List<String> names = new ArrayList<>(NAMES);
    Collections.shuffle(names, new Random(seed));
    SimulatedDisk export = SimulatedDisk.seeded(seed);
    try (Store store = Store.open(options(SimulatedDisk.seeded(seed + 1)))) {
      for (String name : names) {
        PersistentMap<Long, String> map = open(store, name);
        store.run(
            tx -> {
              for (long key = 0; key < count(name); key++) {
                map.put(tx, key, name + " " + key);
              }
            });
      }
      assertWhole(store, names);
      ExportReport report = store.admin().export(export::storage, true);
      assertThat(report.structures()).isEqualTo(3L * names.size());
    }
    SimulatedDisk disk = SimulatedDisk.seeded(seed + 2);
    try (Store store = Store.open(options(disk))) {
      ExportReport report = store.admin().importFrom(export::storage);
      assertThat(report.structures()).isEqualTo(3L * names.size());
      assertWhole(store, names);
    }
    Collections.shuffle(names, new Random(~seed));
    try (Store store = Store.open(options(disk))) {
      while (!names.isEmpty()) {
        assertThat(store.admin().drop(names.removeLast())).isTrue();
        assertWhole(store, names);
      }
      assertThat(store.admin().inspect().collections()).isEmpty();
    }
  }

  /** Each map has entries of a number of its own. */
  private static int count(String name) {
    return 1 + NAMES.indexOf(name);
  }

  private static void assertWhole(Store store, List<String> names) {
    TreeMap<String, Long> sizes = new TreeMap<>();
    for (String name : names) {
      sizes.put(name, (long) count(name));
      sizes.put(name + "/x", (long) count(name));
      sizes.put(name + "/changes", (long) Math.min(10, count(name)));
    }
    TreeMap<String, Long> inspected = new TreeMap<>();
    store.admin().inspect().collections().forEach(c -> inspected.put(c.name(), c.size()));
    assertThat(inspected).isEqualTo(sizes);
    SortedMap<String, String> types = store.read(store.admin()::collections);
    assertThat(types.keySet()).isEqualTo(sizes.keySet());
    assertThat(store.admin().orphans()).isEmpty();
    for (String name : names) {
      PersistentMap<Long, String> map = open(store, name);
      int count = count(name);
      store.read(
          tx -> {
            assertThat(map.size(tx)).isEqualTo(count);
            assertThat(map.changes().newest(tx)).isEqualTo(count);
            for (long key = 0; key < count; key++) {
              String value = name + " " + key;
              assertThat(map.get(tx, key)).isEqualTo(value);
              assertThat(map.index(INDEX).entries(tx, value + " by x"))
                  .containsExactly(Map.entry(key, value));
            }
            return 0;
          });
    }
  }
}
