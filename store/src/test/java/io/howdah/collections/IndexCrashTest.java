package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.core.Execution;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Indexes on a disk that loses what was not forced, cut off at any operation, while they are built,
 * maintained and dropped: an index always has what its map has, and no block is lost.
 */
final class IndexCrashTest {

  private static final int ENTRIES = 70;
  private static final int KEYS = ENTRIES + 20;

  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());

  private static final Index<String, String> BY_TEXT =
      Index.unique("by text", text -> text.isEmpty() ? null : text, Codec.utf8());

  /** Which of the maps is tried. */
  enum Kind {
    HASH,
    SORTED;

    KeyedCollection<Long, String> plain(Store store) {
      return this == SORTED
          ? store.sortedMap("map", Codec.int64(), Codec.utf8())
          : store.map("map", Codec.int64(), Codec.utf8());
    }

    KeyedCollection<Long, String> with(Store store, Index<String, Integer> index) {
      return this == SORTED
          ? store.sortedMap("map", Codec.int64(), Codec.utf8(), index)
          : store.map("map", Codec.int64(), Codec.utf8(), index);
    }

    KeyedCollection<Long, String> indexed(Store store) {
      return this == SORTED
          ? store.sortedMap("map", Codec.int64(), Codec.utf8(), BY_LENGTH, BY_TEXT)
          : store.map("map", Codec.int64(), Codec.utf8(), BY_LENGTH, BY_TEXT);
    }
  }

  private static void fill(KeyedCollection<Long, String> map, Tx tx) {
    for (long key = 0; key < ENTRIES; key++) {
      map.put(tx, key, text(key));
    }
  }

  private static String text(long n) {
    return n % 10 == 0 ? "" : "x".repeat((int) (n % 5)) + n;
  }

  private static void step(KeyedCollection<Long, String> map, Tx tx, int n) {
    SplittableRandom random = new SplittableRandom(n);
    for (int i = 0; i < 6; i++) {
      long key = random.nextInt(KEYS);
      if (random.nextInt(3) == 0) {
        map.remove(tx, key);
      } else {
        map.put(tx, key, text(key + 1000L * n));
      }
    }
  }

  /** The program ended while an index was built. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aMapWithAnIndexThatIsNotWholeCanBeRead(Kind kind) {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    StoreOptions options = StoreOptions.defaults().withMaxSize(1 << 20);
    AtomicInteger left = new AtomicInteger(ENTRIES / 2);
    Index<String, Integer> index =
        Index.of(
            "by length",
            text -> {
              if (left.getAndDecrement() == 0) {
                throw new AssertionError("the program ends here");
              }
              return text.length();
            },
            Codec.int32());
    try (Store store = Store.open(options.withStorage(disk.storage()))) {
      KeyedCollection<Long, String> map = kind.plain(store);
      store.run(tx -> fill(map, tx));
      assertThatThrownBy(() -> kind.with(store, index)).isInstanceOf(AssertionError.class);
    }
    try (Store store = Store.open(options.withReadOnly(true).withStorage(disk.storage()))) {
      KeyedCollection<Long, String> map = kind.with(store, index);
      assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(ENTRIES);
      assertThatThrownBy(() -> map.index(index))
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("by length");
    }
    try (Store store = Store.open(options.withStorage(disk.storage()))) {
      KeyedCollection<Long, String> map = kind.with(store, index);
      assertThat(store.<Long, RuntimeException>read(map.index(index)::size)).isEqualTo(ENTRIES);
    }
  }

  /** On the finest disk alone: what an index lacks after a crash does not depend on the disk. */
  @CrashTest(units = CrashUnit.WORD, points = 6, states = 2, recoveryPoints = 1, preemptOneIn = 50)
  void indexesHaveWhatTheirMapHas(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.HASH, storage, execution, crash);
  }

  @CrashTest(units = CrashUnit.WORD, points = 6, states = 2, recoveryPoints = 1, preemptOneIn = 50)
  void indexesHaveWhatTheirSortedMapHas(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.SORTED, storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void indexesHaveWhatTheirMapHasAtManyMoreMoments(
      Storage storage, Execution execution, CrashControl crash) {
    run(Kind.HASH, storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void indexesHaveWhatTheirSortedMapHasAtManyMoreMoments(
      Storage storage, Execution execution, CrashControl crash) {
    run(Kind.SORTED, storage, execution, crash);
  }

  private static void run(Kind kind, Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {-1};
    crash.run(
        () -> {
          try (Store store = Store.open(TestStores.simulated(storage, execution))) {
            KeyedCollection<Long, String> filled = kind.plain(store);
            store.run(TxOptions.sync(), tx -> fill(filled, tx));
            acknowledged[0] = 0;
            KeyedCollection<Long, String> map = kind.indexed(store);
            for (int n = 1; n <= 4; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> step(map, tx, step));
              acknowledged[0] = n;
            }
            store.admin().drop("map/by length");
            store.admin().drop("map/by text");
            KeyedCollection<Long, String> again = kind.indexed(store);
            store.run(TxOptions.sync(), tx -> step(again, tx, 5));
            acknowledged[0] = 5;
          }
        });
    crash.check(machine -> check(kind, machine, acknowledged[0]));
  }

  /** What the map holds after each number of steps. */
  private static final List<Map<Long, String>> EXPECTED = expected();

  private static List<Map<Long, String>> expected() {
    List<Map<Long, String>> all = new ArrayList<>();
    try (Store store =
        Store.inMemory(
            StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 8).withPartitions(2))) {
      KeyedCollection<Long, String> map = Kind.HASH.plain(store);
      store.run(tx -> fill(map, tx));
      all.add(contents(store, map));
      for (int n = 1; n <= 5; n++) {
        int step = n;
        store.run(tx -> step(map, tx, step));
        all.add(contents(store, map));
      }
    }
    return all;
  }

  private static Map<Long, String> contents(Store store, KeyedCollection<Long, String> map) {
    return store.read(
        tx -> {
          Map<Long, String> all = new TreeMap<>();
          for (long key = 0; key < KEYS; key++) {
            String value = map.get(tx, key);
            if (value != null) {
              all.put(key, value);
            }
          }
          assertThat(map.size(tx)).isEqualTo(all.size());
          return all;
        });
  }

  private static void check(Kind kind, Machine machine, int acknowledged) {
    try (Store store = Store.open(TestStores.simulated(machine.storage(), machine.execution()))) {
      Blocks.assertNothingLeaks(store);
      KeyedCollection<Long, String> map = kind.indexed(store); // goes on with the building
      Map<Long, String> contents = contents(store, map);
      if (acknowledged >= 0) {
        assertThat(contents)
            .isIn(EXPECTED.get(acknowledged), EXPECTED.get(Math.min(5, acknowledged + 1)));
      }
      assertIndexed(store, map, contents);
      store.run(tx -> step(map, tx, 77)); // and life goes on
      assertIndexed(store, map, contents(store, map));
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void assertIndexed(
      Store store, KeyedCollection<Long, String> map, Map<Long, String> contents) {
    store.read(
        (Tx tx) -> {
          Map<Long, String> byLength = new TreeMap<>();
          map.index(BY_LENGTH).entries(tx).forEach(e -> byLength.put(e.getKey(), e.getValue()));
          assertThat(byLength).isEqualTo(contents);
          assertThat(map.index(BY_LENGTH).size(tx)).isEqualTo(contents.size());
          assertThat(map.index(BY_TEXT).entries(tx).map(Map.Entry::getValue))
              .containsExactlyElementsOf(
                  contents.values().stream().filter(text -> !text.isEmpty()).sorted().toList());
          return 0;
        });
  }
}
