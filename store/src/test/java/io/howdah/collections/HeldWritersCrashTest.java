package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Subscription;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/**
 * A journal that holds writers, on a disk that loses what was not forced, cut off at any operation.
 * The writers are faster than the journal is long, and still no change is lost: each has its effect
 * exactly once, in batches, and what was released has its effect.
 */
final class HeldWritersCrashTest {

  private static final int STEPS = 6;
  private static final int CHANGES = 3;
  private static final int KEPT = 4;
  private static final int BATCH = 3;

  /** A map whose journal holds writers, and what the consumer has done for each change. */
  private record Shop(PersistentMap<Long, Long> map, PersistentMap<Long, Long> effects) {

    static Shop open(Store store) {
      return new Shop(
          store.map(
              "map",
              Codec.int64(),
              Codec.int64(),
              ChangeJournal.keeping(KEPT).holdingWriters(Duration.ofHours(1))),
          store.map("effects", Codec.int64(), Codec.int64()));
    }

    void step(Tx tx, long n) {
      for (long i = 0; i < CHANGES; i++) {
        map.put(tx, i, n);
      }
    }

    /** The journal itself has the position: what is released has had its effect. */
    Subscription subscribe(Store store) {
      return map.changes()
          .subscribeBatches(
              released(store),
              Durability.SYNC,
              BATCH,
              changes ->
                  store.run(
                      TxOptions.async(),
                      tx -> {
                        for (Change<Long, Long> change : changes) {
                          effects.merge(tx, change.position(), 1L, Long::sum);
                        }
                        map.changes().release(tx, changes.getLast().position());
                      }));
    }

    long newest(Store store) {
      return store.<Long, RuntimeException>read(tx -> map.changes().newest(tx));
    }

    long released(Store store) {
      return store.<Long, RuntimeException>read(tx -> map.changes().released(tx));
    }
  }

  private static void awaitPosition(Execution execution, Subscription subscription, long position) {
    while (subscription.position() < position) {
      assertThat(subscription.failure()).isEmpty();
      execution.parkNanos(subscription, 1_000_000);
    }
  }

  @CrashTest(units = CrashUnit.WORD, points = 8, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void noChangeIsLostAndEachHasItsEffectOnce(
      Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soItIsAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    crash.run(
        () -> {
          try (Store store = Store.open(TestStores.simulated(storage, execution))) {
            Shop shop = Shop.open(store);
            Subscription subscription = shop.subscribe(store);
            for (int n = 1; n <= STEPS; n++) {
              long step = n;
              store.run(TxOptions.async(), tx -> shop.step(tx, step)); // waits for the consumer
            }
            awaitPosition(execution, subscription, STEPS * CHANGES);
          }
        });
    crash.check(HeldWritersCrashTest::check);
  }

  private static void check(Machine machine) {
    try (Store store = Store.open(TestStores.simulated(machine.storage(), machine.execution()))) {
      Shop shop = Shop.open(store);
      long released = shop.released(store);
      assertEffects(store, shop, released);
      assertThat(store.<Long, RuntimeException>read(tx -> shop.map().changes().oldest(tx)))
          .isLessThanOrEqualTo(released);
      Subscription subscription = shop.subscribe(store);
      store.run(TxOptions.async(), tx -> shop.step(tx, 77));
      store.run(TxOptions.async(), tx -> shop.step(tx, 78));
      awaitPosition(machine.execution(), subscription, shop.newest(store));
      subscription.close();
      assertEffects(store, shop, shop.newest(store));
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void assertEffects(Store store, Shop shop, long last) {
    Map<Long, Long> effects = new TreeMap<>();
    store.read(
        tx -> {
          shop.effects().forEach(tx, effects::put);
          return 0;
        });
    assertThat(effects.values()).allMatch(times -> times == 1);
    assertThat(effects.keySet()).allMatch(position -> position <= last);
    assertThat(effects).hasSize((int) last);
  }
}
