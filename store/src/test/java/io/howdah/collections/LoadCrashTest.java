package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.txn.Durability;
import io.howdah.txn.stm.Blocks;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/**
 * Loads that are cut off at any operation of the disk: a map has the entries of the first
 * transactions of its load, each one whole, and the load's note agrees. When a load has returned,
 * all of its entries are there.
 */
final class LoadCrashTest {

  private static final int ENTRIES = 96;
  private static final int BATCH = 6;

  private static final class Maps {
    private final PersistentMap<Long, String> scattered;
    private final PersistentSortedMap<Long, String> sorted;
    private final PersistentMap<String, Long> notes;

    Maps(Store store) {
      scattered = store.map("scattered", Codec.int64(), Codec.utf8());
      sorted = store.sortedMap("sorted", Codec.int64(), Codec.utf8());
      notes = store.map("notes", Codec.utf8(), Codec.int64());
    }
  }

  private static long key(int entry, boolean isSorted) {
    return isSorted ? entry : entry * 7919L % 1009;
  }

  private static String value(int entry) {
    return "value ".repeat(entry % 20) + entry;
  }

  /**
   * Shows entries. Now and then it keeps a transaction of its own, so that those of the load take
   * turns in the partitions of the log.
   */
  private static final class Entries implements Iterator<Map.Entry<Long, String>> {
    private final Session session;
    private final boolean isSorted;
    private int next;
    private boolean isKept;

    Entries(Store store, boolean isSorted, int first) {
      this.session = store.session();
      this.isSorted = isSorted;
      this.next = first;
    }

    @Override
    public boolean hasNext() {
      if (next < ENTRIES) {
        return true;
      }
      keep(false);
      return false;
    }

    @Override
    public Map.Entry<Long, String> next() {
      if (next % BATCH == 0) {
        keep(next / BATCH % 2 == 1);
      }
      int entry = next++;
      return Map.entry(key(entry, isSorted), value(entry));
    }

    private void keep(boolean isKept) {
      if (this.isKept && !isKept) {
        session.abort();
      } else if (isKept && !this.isKept) {
        var _ = session.begin();
      }
      this.isKept = isKept;
    }
  }

  @CrashTest(points = 8, states = 3, recoveryPoints = 1, preemptOneIn = 50)
  void aLoadLeavesItsBeginning(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 12, recoveryPoints = 1, preemptOneIn = 50)
  void soItIsAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {0};
    crash.run(
        () -> {
          try (Store store = Store.open(options(storage, execution))) {
            Maps maps = new Maps(store);
            load(store, maps, false, false);
            acknowledged[0] = 1;
            load(store, maps, true, false);
            acknowledged[0] = 2;
          }
        });
    crash.check(machine -> check(machine, acknowledged[0]));
  }

  /** Loads behind what is there. */
  private static void load(Store store, Maps maps, boolean isSorted, boolean isResumed) {
    String name = isSorted ? "sorted" : "scattered";
    KeyedCollection<Long, String> map = isSorted ? maps.sorted : maps.scattered;
    long done = isResumed ? store.read(tx -> maps.notes.getOrDefault(tx, name, 0L)) : 0;
    LoadOptions options =
        LoadOptions.defaults().withTransactionEntries(BATCH).withDurability(Durability.SYNC);
    if (isSorted) { // of the scattered ones, nothing but the load makes one depend on another
      options =
          options.withNote((tx, reached) -> maps.notes.put(tx, name, done + reached.entries()));
    }
    map.load(new Entries(store, isSorted, (int) done), options);
  }

  private static StoreOptions options(Storage storage, Execution execution) {
    return TestStores.simulated(storage, execution)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 14)
        .withPartitions(4);
  }

  private static void check(Machine machine, int acknowledged) {
    try (Store store = Store.open(options(machine.storage(), machine.execution()))) {
      Maps maps = new Maps(store);
      int scattered = requireBeginning(store, maps.scattered, false);
      int sorted = requireBeginning(store, maps.sorted, true);
      assertThat(scattered).isGreaterThanOrEqualTo(acknowledged > 0 ? ENTRIES : 0);
      assertThat(sorted).isGreaterThanOrEqualTo(acknowledged > 1 ? ENTRIES : 0);
      long noted = store.read(tx -> maps.notes.getOrDefault(tx, "sorted", 0L));
      assertThat(noted).isEqualTo(sorted);
      load(store, maps, true, true);
      assertThat(requireBeginning(store, maps.sorted, true)).isEqualTo(ENTRIES);
      Blocks.assertNothingLeaks(store);
    }
  }

  /** Requires a map to have the first entries and no others; returns how many. */
  private static int requireBeginning(
      Store store, KeyedCollection<Long, String> map, boolean isSorted) {
    int there = (int) (long) store.<Long, RuntimeException>read(map::size);
    assertThat(there % BATCH).isZero();
    store.read(
        tx -> {
          for (int entry = 0; entry < there; entry++) {
            assertThat(map.get(tx, key(entry, isSorted)))
                .as("entry %s of %s", entry, there)
                .isEqualTo(value(entry));
          }
          return 0;
        });
    return there;
  }
}
