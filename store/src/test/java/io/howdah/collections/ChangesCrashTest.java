package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/**
 * A change journal on a disk that loses what was not forced, cut off at any operation: the map is
 * what its changes make of it, what a listener was told of is never lost, and a listener that
 * stores its position with its effect has each effect exactly once.
 */
final class ChangesCrashTest {

  private static final int KEYS = 12;
  private static final int STEPS = 4;
  private static final int KEPT = 16;
  private static final String MAILER = "mailer";

  /** A map with a journal, a consumer's position, and what it has done for each change. */
  private record Shop(
      PersistentMap<Long, String> map,
      PersistentMap<String, Long> positions,
      PersistentMap<Long, Long> effects) {

    static Shop open(Store store) {
      return new Shop(
          store.map("map", Codec.int64(), Codec.utf8(), ChangeJournal.keeping(KEPT)),
          store.map("positions", Codec.utf8(), Codec.int64()),
          store.map("effects", Codec.int64(), Codec.int64()));
    }

    void step(Tx tx, int n) {
      SplittableRandom random = new SplittableRandom(n);
      for (int i = 0; i < 4; i++) {
        long key = random.nextInt(KEYS);
        if (random.nextInt(4) == 0) {
          map.remove(tx, key);
        } else {
          map.put(tx, key, "x".repeat(random.nextInt(30)) + n);
        }
      }
    }

    /** Consumes changes from the stored position on, the effect and the position in one. */
    Subscription subscribe(Store store, List<Change<Long, String>> told) {
      long position = store.read(tx -> positions.getOrDefault(tx, MAILER, 0L));
      return map.changes()
          .subscribe(
              position,
              change -> {
                told.add(change);
                store.run(
                    TxOptions.async(),
                    tx -> {
                      effects.merge(tx, change.position(), 1L, Long::sum);
                      positions.put(tx, MAILER, change.position());
                    });
              });
    }

    long newest(Store store) {
      return store.<Long, RuntimeException>read(tx -> map.changes().newest(tx));
    }
  }

  private static void awaitPosition(Execution execution, Subscription subscription, long position) {
    while (subscription.position() < position) {
      assertThat(subscription.failure()).isEmpty();
      execution.parkNanos(subscription, 1_000_000);
    }
  }

  @CrashTest(units = CrashUnit.WORD, points = 8, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void whatAListenerIsToldOfStays(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soItDoesAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    List<Change<Long, String>> told = new ArrayList<>();
    crash.run(
        () -> {
          try (Store store = Store.open(TestStores.simulated(storage, execution))) {
            Shop shop = Shop.open(store);
            Subscription subscription = shop.subscribe(store, told);
            for (int n = 1; n <= STEPS; n++) {
              int step = n;
              store.run(TxOptions.async(), tx -> shop.step(tx, step));
              if (n % 2 == 0) {
                awaitPosition(execution, subscription, shop.newest(store));
              }
            }
          }
        });
    crash.check(machine -> check(machine, List.copyOf(told)));
  }

  private static void check(Machine machine, List<Change<Long, String>> told) {
    try (Store store = Store.open(TestStores.simulated(machine.storage(), machine.execution()))) {
      Blocks.assertNothingLeaks(store);
      Shop shop = Shop.open(store);
      assertConsistent(store, shop, told);
      List<Change<Long, String>> again = new ArrayList<>();
      store.run(TxOptions.async(), tx -> shop.step(tx, 77)); // and life goes on
      Subscription subscription = shop.subscribe(store, again);
      awaitPosition(machine.execution(), subscription, shop.newest(store));
      subscription.close();
      assertThat(subscription.isOpen()).isFalse();
      Map<Long, Long> effects = new TreeMap<>();
      store.read(
          tx -> {
            shop.effects().forEach(tx, effects::put);
            return 0;
          });
      assertThat(effects.values()).allMatch(times -> times == 1);
      assertThat(effects).hasSize((int) shop.newest(store));
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void assertConsistent(Store store, Shop shop, List<Change<Long, String>> told) {
    store.read(
        tx -> {
          Changes<Long, String> changes = shop.map().changes();
          long oldest = changes.oldest(tx);
          List<Change<Long, String>> kept = changes.after(tx, oldest, 2 * KEPT);
          assertThat(kept).hasSize((int) (changes.newest(tx) - oldest));
          List<Change<Long, String>> toldAndKept =
              told.stream().filter(change -> change.position() > oldest).toList();
          assertThat(kept.size()).isGreaterThanOrEqualTo(toldAndKept.size());
          assertThat(kept.subList(0, toldAndKept.size())).isEqualTo(toldAndKept);
          Map<Long, String> contents = new TreeMap<>();
          shop.map().forEach(tx, contents::put);
          Map<Long, String> last = new TreeMap<>();
          for (Change<Long, String> change : kept) {
            last.put(
                change.key(), change instanceof Change.Put<Long, String> put ? put.value() : "-");
          }
          last.forEach(
              (key, value) -> assertThat(contents.getOrDefault(key, "-")).isEqualTo(value));
          if (oldest == 0) {
            last.values().removeIf(value -> value.equals("-"));
            assertThat(contents).isEqualTo(last);
          }
          return 0;
        });
  }
}
