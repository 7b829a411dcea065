package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.Tree;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;

/**
 * Sorted maps whose nodes split, merge, grow and are packed anew in almost every transaction, cut
 * off at any operation of the disk: each node verifies, what was acknowledged is there, and nothing
 * leaks.
 */
final class TreeCrashTest {

  private static final int STEPS = 6;
  private static final List<String> NAMES = List.of("words", "texts", "long");

  private static final class Maps {
    private final PersistentSortedMap<Long, Long> words;
    private final PersistentSortedMap<String, String> texts;
    private final PersistentSortedMap<String, String> longKeys;

    Maps(Store store) {
      words = store.sortedMap("words", Codec.int64(), Codec.int64());
      texts = store.sortedMap("texts", Codec.utf8(), Codec.utf8());
      longKeys = store.sortedMap("long", Codec.utf8(), Codec.utf8());
    }

    /** Fills in the even steps, and takes most of it away in the odd ones. */
    void step(Tx tx, int n) {
      SplittableRandom random = new SplittableRandom(n);
      boolean isGrowth = n % 2 == 0;
      for (int i = 0; i < 60; i++) {
        long number = random.nextInt(isGrowth ? 150 : 100);
        if (isGrowth) {
          words.put(tx, number * 7919 % 1009, number + n);
          // The entries become longer, so the first leaf grows, and values get blocks.
          texts.put(tx, "text " + number, "x".repeat(random.nextInt(60 * (n + 1))));
        } else {
          words.remove(tx, number * 7919 % 1009);
          texts.remove(tx, "text " + number);
        }
      }
      for (int i = 0; i < 12; i++) {
        String key = "a key in a block of its own, ".repeat(5) + random.nextInt(60);
        if (isGrowth) {
          longKeys.put(tx, key, "value " + n);
        } else {
          longKeys.remove(tx, key);
        }
      }
      if (!isGrowth) {
        for (int i = 0; i < 40; i++) {
          words.pollFirst(tx);
          longKeys.pollLast(tx);
        }
      }
    }

    Map<Object, Object> state(Tx tx) {
      Map<Object, Object> state = new HashMap<>();
      words.entries(tx).forEach(e -> state.put(e.getKey(), e.getValue()));
      texts.entries(tx).forEach(e -> state.put(e.getKey(), e.getValue()));
      longKeys.entries(tx).forEach(e -> state.put(e.getKey(), e.getValue()));
      return state;
    }
  }

  private static final List<Map<Object, Object>> STATES = states();

  /** Returns what the maps hold after each number of steps. */
  private static List<Map<Object, Object>> states() {
    List<Map<Object, Object>> states = new ArrayList<>();
    try (Store store =
        Store.inMemory(
            StoreOptions.defaults().withMaxSize(1 << 21).withOrecs(1 << 8).withPartitions(2))) {
      Maps maps = new Maps(store);
      for (int n = 0; n <= STEPS; n++) {
        states.add(store.read(maps::state));
        int step = n;
        store.run(tx -> maps.step(tx, step));
        requireSound(store);
      }
    }
    return states;
  }

  private static void requireSound(Store store) {
    store.read(
        tx -> {
          Words words = TxHandle.of(tx).words();
          for (String name : NAMES) {
            FoundCollection found = TestStores.catalogue(store).find(tx, name);
            if (found != null) {
              Tree.of(words, Objects.requireNonNull(found).address()).check(words);
            }
          }
          return 0;
        });
    Blocks.assertNothingLeaks(store);
  }

  @CrashTest(points = 4, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void everyNodeVerifiesAfterACrash(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 12, recoveryPoints = 1, preemptOneIn = 50)
  void soItIsAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {-1};
    crash.run(
        () -> {
          try (Store store = Store.open(options(storage, execution))) {
            Maps maps = new Maps(store);
            acknowledged[0] = 0;
            for (int n = 0; n < STEPS; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> maps.step(tx, step));
              acknowledged[0] = n + 1;
            }
          }
        });
    crash.check(machine -> check(machine, acknowledged[0]));
  }

  private static StoreOptions options(Storage storage, Execution execution) {
    return TestStores.simulated(storage, execution).withMaxSize(1 << 21);
  }

  private static void check(Machine machine, int acknowledged) {
    try (Store store = Store.open(options(machine.storage(), machine.execution()))) {
      requireSound(store);
      if (acknowledged < 0) {
        return;
      }
      Maps maps = new Maps(store);
      Map<Object, Object> state = store.read(maps::state);
      int next = Math.min(acknowledged + 1, STEPS);
      assertThat(state).isIn(STATES.get(acknowledged), STATES.get(next));
      store.run(tx -> maps.step(tx, 1000)); // the maps are fit for use
      requireSound(store);
    }
  }
}
