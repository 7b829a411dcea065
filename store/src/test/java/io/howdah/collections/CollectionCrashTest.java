package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;

/**
 * Collections on a disk that loses what was not forced, cut off at any operation: what was
 * acknowledged is there, and the blocks in use are those that can be reached from the names, no
 * more and no fewer.
 */
final class CollectionCrashTest {

  private static final class Collections {
    private final PersistentMap<Long, String> map;
    private final PersistentSortedMap<String, Long> sorted;
    private final PersistentQueue<String> queue;
    private final PersistentMultimap<String, Long> multimap;

    Collections(Store store) {
      map = store.map("map", Codec.int64(), Codec.utf8());
      sorted = store.sortedMap("sorted", Codec.utf8(), Codec.int64());
      queue = store.queue("queue", Codec.utf8());
      multimap = store.multimap("multimap", Codec.utf8(), Codec.int64());
    }

    /** One transaction on all three, so that they agree. */
    void step(Tx tx, int n) {
      SplittableRandom random = new SplittableRandom(n);
      for (int i = 0; i < 4; i++) {
        long key = random.nextInt(40);
        if (random.nextInt(3) == 0) {
          map.remove(tx, key);
          sorted.remove(tx, "a long key with number " + key);
          multimap.removeAll(tx, "key " + key % 5);
        } else {
          map.put(tx, key, "value ".repeat(1 + random.nextInt(30)) + n);
          sorted.put(tx, "a long key with number " + key, (long) n);
          multimap.put(tx, "key " + key % 5, (long) n);
        }
      }
      queue.add(tx, "element " + n);
      if (n % 3 == 2) {
        queue.poll(tx);
        queue.poll(tx);
      }
    }

    Map<Object, Object> state(Tx tx) {
      Map<Object, Object> state = new HashMap<>();
      map.forEach(tx, state::put);
      sorted.entries(tx).forEach(e -> state.put(e.getKey(), e.getValue()));
      state.put("multimap", multimap.entries(tx).toList());
      state.put("queue", queue.stream(tx).toList());
      return state;
    }
  }

  /** Returns what all collections hold after so many steps. */
  private static Map<Object, Object> expected(int steps) {
    try (Store store =
        Store.inMemory(
            StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 8).withPartitions(2))) {
      Collections collections = new Collections(store);
      for (int n = 0; n < steps; n++) {
        int step = n;
        store.run(tx -> collections.step(tx, step));
      }
      return store.read(collections::state);
    }
  }

  @CrashTest(points = 5, states = 2, recoveryPoints = 1, preemptOneIn = 50)
  void whatCanBeReachedIsWhatIsAllocated(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 40, states = 12, recoveryPoints = 1, preemptOneIn = 50)
  void soItIsAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {-1};
    crash.run(
        () -> {
          try (Store store = Store.open(TestStores.simulated(storage, execution))) {
            Collections collections = new Collections(store);
            acknowledged[0] = 0;
            for (int n = 0; n < 12; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> collections.step(tx, step));
              acknowledged[0] = n + 1;
            }
          }
        });
    crash.check(machine -> check(machine, acknowledged[0]));
  }

  private static void check(Machine machine, int acknowledged) {
    try (Store store = Store.open(TestStores.simulated(machine.storage(), machine.execution()))) {
      Blocks.assertNothingLeaks(store);
      if (acknowledged < 0) {
        return;
      }
      Collections collections = new Collections(store);
      Map<Object, Object> state = store.read(collections::state);
      assertThat(state).isIn(expected(acknowledged), expected(acknowledged + 1));
      store.run(tx -> collections.step(tx, 1000)); // and life goes on
      Blocks.assertNothingLeaks(store);
    }
  }
}
