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
import io.howdah.testkit.SettableClock;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;

/**
 * A map with an expiry and an index on a disk that loses what was not forced, cut off at any
 * operation, while entries expire and are reclaimed: each entry keeps its time, no block is lost,
 * and what was reclaimed is nowhere.
 */
final class ExpiryCrashTest {

  private static final int KEYS = 60;
  private static final int STEPS = 5;
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());

  private static PersistentMap<Long, String> open(Store store) {
    return store.map("map", Codec.int64(), Codec.utf8(), Expiry.perEntry(), BY_LENGTH);
  }

  /** A step takes 10 ms; every entry lives until the middle of a later step, or for ever. */
  private static void step(PersistentMap<Long, String> map, Tx tx, int n) {
    SplittableRandom random = new SplittableRandom(n);
    for (int i = 0; i < 12; i++) {
      long key = random.nextInt(KEYS);
      int lives = 1 + random.nextInt(4);
      String text = "x".repeat(random.nextInt(5)) + n;
      switch (random.nextInt(6)) {
        case 0 -> map.remove(tx, key);
        case 1 -> map.expiry().putForever(tx, key, text);
        default -> map.expiry().putUntil(tx, key, text, at(n + lives).minusMillis(5));
      }
    }
  }

  private static Instant at(int step) {
    return Instant.ofEpochMilli(SettableClock.START + 10L * step);
  }

  @CrashTest(units = CrashUnit.WORD, points = 8, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void entriesKeepTheirTimes(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soTheyDoAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {0};
    SettableClock clock = new SettableClock();
    crash.run(
        () -> {
          try (Store store =
              Store.open(TestStores.simulated(storage, execution).withClock(clock))) {
            PersistentMap<Long, String> map = open(store);
            for (int n = 1; n <= STEPS; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> step(map, tx, step));
              acknowledged[0] = n;
              clock.move(10);
              long _ = map.expiry().reclaim();
            }
          }
        });
    crash.check(machine -> check(machine, acknowledged[0]));
  }

  /** When the entries expire that are stored after each number of steps, if none is reclaimed. */
  private static final List<Map<Long, Instant>> EXPECTED = expected();

  private static List<Map<Long, Instant>> expected() {
    List<Map<Long, Instant>> all = new ArrayList<>();
    try (Store store =
        Store.inMemory(
            StoreOptions.defaults()
                .withMaxSize(1 << 20)
                .withOrecs(1 << 8)
                .withPartitions(2)
                .withClock(new SettableClock()))) {
      PersistentMap<Long, String> map = open(store);
      all.add(Map.of());
      for (int n = 1; n <= STEPS; n++) {
        int step = n;
        store.run(tx -> step(map, tx, step));
        all.add(times(store, map));
      }
    }
    return all;
  }

  private static Map<Long, Instant> times(Store store, PersistentMap<Long, String> map) {
    return store.read(
        tx -> {
          Map<Long, Instant> all = new TreeMap<>();
          map.keys(tx).forEach(key -> all.put(key, map.expiry().expiresAt(tx, key)));
          return all;
        });
  }

  private static Map<Long, Instant> alive(Map<Long, Instant> times, SettableClock clock) {
    Map<Long, Instant> alive = new TreeMap<>(times);
    alive.values().removeIf(at -> !at.isAfter(clock.instant()));
    return alive;
  }

  private static void check(Machine machine, int acknowledged) {
    SettableClock clock = new SettableClock();
    clock.move(10L * (acknowledged + 1)); // not earlier than it was
    try (Store store =
        Store.open(TestStores.simulated(machine.storage(), machine.execution()).withClock(clock))) {
      PersistentMap<Long, String> map = open(store);
      assertThat(times(store, map))
          .isIn(
              alive(EXPECTED.get(acknowledged), clock),
              alive(EXPECTED.get(Math.min(STEPS, acknowledged + 1)), clock));
      assertIndexed(store, map);
      Blocks.assertNothingLeaks(store);
      clock.move(Duration.ofDays(1).toMillis());
      long _ = map.expiry().reclaim();
      assertThat(times(store, map).values()).allMatch(Instant.MAX::equals);
      assertThat(store.<Long, RuntimeException>read(tx -> map.expiry().storedEntries(tx)))
          .isEqualTo(times(store, map).size());
      assertIndexed(store, map);
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void assertIndexed(Store store, PersistentMap<Long, String> map) {
    store.read(
        (Tx tx) -> {
          assertThat(map.index(BY_LENGTH).entries(tx).map(Map.Entry::getKey))
              .containsExactlyInAnyOrderElementsOf(map.keys(tx).toList());
          return 0;
        });
  }
}
