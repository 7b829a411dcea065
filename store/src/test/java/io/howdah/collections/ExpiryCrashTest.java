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
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/**
 * A map, a sorted map and a set whose entries expire, the maps with an index, on a disk that loses
 * what was not forced, cut off at any operation, while entries expire and are reclaimed: each entry
 * keeps its time, no block is lost, and what was reclaimed is nowhere.
 */
final class ExpiryCrashTest {

  private static final int KEYS = 60;
  private static final int STEPS = 5;
  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());

  /** What expires. */
  private enum Kind {
    MAP,
    SORTED_MAP,
    SET;

    @SuppressWarnings("ImmutableEnumChecker") // never changed once it is made
    private final List<Map<Long, Instant>> expected = expected(this);

    Expiring open(Store store) {
      return switch (this) {
        case MAP -> {
          var map = store.map("map", Codec.int64(), Codec.utf8(), Expiry.perEntry(), BY_LENGTH);
          yield new OfMap(
              map.expiry(), map::remove, map::keys, tx -> map.index(BY_LENGTH).entries(tx));
        }
        case SORTED_MAP -> {
          var map =
              store.sortedMap("sorted", Codec.int64(), Codec.utf8(), Expiry.perEntry(), BY_LENGTH);
          yield new OfMap(
              map.expiry(), map::remove, map::keys, tx -> map.index(BY_LENGTH).entries(tx));
        }
        case SET -> new OfSet(store.set("set", Codec.int64(), Expiry.perEntry()));
      };
    }
  }

  /** One of the structures. */
  private interface Expiring {

    void remove(Tx tx, long key);

    void putForever(Tx tx, long key, String text);

    void putUntil(Tx tx, long key, String text, Instant at);

    Stream<Long> keys(Tx tx);

    @Nullable Instant expiresAt(Tx tx, long key);

    long stored(Tx tx);

    long reclaim();

    /** Returns the keys of all entries of the index, or of all entries if there is none. */
    Stream<Long> indexed(Tx tx);
  }

  private record OfMap(
      EntryExpiry<Long, String> expiry,
      BiPredicate<Tx, Long> removal,
      Function<Tx, Stream<Long>> allKeys,
      Function<Tx, Stream<Map.Entry<Long, String>>> index)
      implements Expiring {

    @Override
    public void remove(Tx tx, long key) {
      boolean _ = removal.test(tx, key);
    }

    @Override
    public void putForever(Tx tx, long key, String text) {
      expiry.putForever(tx, key, text);
    }

    @Override
    public void putUntil(Tx tx, long key, String text, Instant at) {
      expiry.putUntil(tx, key, text, at);
    }

    @Override
    public Stream<Long> keys(Tx tx) {
      return allKeys.apply(tx);
    }

    @Override
    public @Nullable Instant expiresAt(Tx tx, long key) {
      return expiry.expiresAt(tx, key);
    }

    @Override
    public long stored(Tx tx) {
      return expiry.storedEntries(tx);
    }

    @Override
    public long reclaim() {
      return expiry.reclaim();
    }

    @Override
    public Stream<Long> indexed(Tx tx) {
      return index.apply(tx).map(Map.Entry::getKey);
    }
  }

  private record OfSet(PersistentSet<Long> set) implements Expiring {

    @Override
    public void remove(Tx tx, long key) {
      boolean _ = set.remove(tx, key);
    }

    @Override
    public void putForever(Tx tx, long key, String text) {
      set.expiry().add(tx, key, EntryExpiry.FOREVER);
    }

    @Override
    public void putUntil(Tx tx, long key, String text, Instant at) {
      set.expiry().addUntil(tx, key, at);
    }

    @Override
    public Stream<Long> keys(Tx tx) {
      return set.stream(tx);
    }

    @Override
    public @Nullable Instant expiresAt(Tx tx, long key) {
      return set.expiry().expiresAt(tx, key);
    }

    @Override
    public long stored(Tx tx) {
      return set.expiry().storedElements(tx);
    }

    @Override
    public long reclaim() {
      return set.expiry().reclaim();
    }

    @Override
    public Stream<Long> indexed(Tx tx) {
      return keys(tx);
    }
  }

  /** A step takes 10 ms; every entry lives until the middle of a later step, or for ever. */
  private static void step(Expiring map, Tx tx, int n) {
    SplittableRandom random = new SplittableRandom(n);
    for (int i = 0; i < 12; i++) {
      long key = random.nextInt(KEYS);
      int lives = 1 + random.nextInt(4);
      String text = "x".repeat(random.nextInt(5)) + n;
      switch (random.nextInt(6)) {
        case 0 -> map.remove(tx, key);
        case 1 -> map.putForever(tx, key, text);
        default -> map.putUntil(tx, key, text, at(n + lives).minusMillis(5));
      }
    }
  }

  private static Instant at(int step) {
    return Instant.ofEpochMilli(SettableClock.START + 10L * step);
  }

  @CrashTest(units = CrashUnit.WORD, points = 8, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void entriesKeepTheirTimes(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.MAP, storage, execution, crash);
  }

  @CrashTest(units = CrashUnit.WORD, points = 8, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void entriesOfASortedMapKeepTheirTimes(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.SORTED_MAP, storage, execution, crash);
  }

  @CrashTest(units = CrashUnit.WORD, points = 8, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void elementsOfASetKeepTheirTimes(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.SET, storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soTheyDoAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.MAP, storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soDoThoseOfASortedMap(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.SORTED_MAP, storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soDoThoseOfASet(Storage storage, Execution execution, CrashControl crash) {
    run(Kind.SET, storage, execution, crash);
  }

  private static void run(Kind kind, Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {0};
    SettableClock clock = new SettableClock();
    crash.run(
        () -> {
          try (Store store =
              Store.open(TestStores.simulated(storage, execution).withClock(clock))) {
            Expiring map = kind.open(store);
            for (int n = 1; n <= STEPS; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> step(map, tx, step));
              acknowledged[0] = n;
              clock.move(10);
              long _ = map.reclaim();
            }
          }
        });
    crash.check(machine -> check(kind, machine, acknowledged[0]));
  }

  /** When the entries expire that are stored after each number of steps, if none is reclaimed. */
  private static List<Map<Long, Instant>> expected(Kind kind) {
    List<Map<Long, Instant>> all = new ArrayList<>();
    try (Store store =
        Store.inMemory(
            StoreOptions.defaults()
                .withMaxSize(1 << 20)
                .withOrecs(1 << 8)
                .withPartitions(2)
                .withClock(new SettableClock()))) {
      Expiring map = kind.open(store);
      all.add(Map.of());
      for (int n = 1; n <= STEPS; n++) {
        int step = n;
        store.run(tx -> step(map, tx, step));
        all.add(times(store, map));
      }
    }
    return all;
  }

  private static Map<Long, Instant> times(Store store, Expiring map) {
    return store.read(
        tx -> {
          Map<Long, Instant> all = new TreeMap<>();
          map.keys(tx).forEach(key -> all.put(key, map.expiresAt(tx, key)));
          return all;
        });
  }

  private static Map<Long, Instant> alive(Map<Long, Instant> times, SettableClock clock) {
    Map<Long, Instant> alive = new TreeMap<>(times);
    alive.values().removeIf(at -> !at.isAfter(clock.instant()));
    return alive;
  }

  private static void check(Kind kind, Machine machine, int acknowledged) {
    SettableClock clock = new SettableClock();
    clock.move(10L * (acknowledged + 1)); // not earlier than it was
    try (Store store =
        Store.open(TestStores.simulated(machine.storage(), machine.execution()).withClock(clock))) {
      Expiring map = kind.open(store);
      assertThat(times(store, map))
          .isIn(
              alive(kind.expected.get(acknowledged), clock),
              alive(kind.expected.get(Math.min(STEPS, acknowledged + 1)), clock));
      assertIndexed(store, map);
      Blocks.assertNothingLeaks(store);
      clock.move(Duration.ofDays(1).toMillis());
      long _ = map.reclaim();
      assertThat(times(store, map).values()).allMatch(Instant.MAX::equals);
      assertThat(store.<Long, RuntimeException>read(tx -> map.stored(tx)))
          .isEqualTo(times(store, map).size());
      assertIndexed(store, map);
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void assertIndexed(Store store, Expiring map) {
    store.read(
        (Tx tx) -> {
          assertThat(map.indexed(tx)).containsExactlyInAnyOrderElementsOf(map.keys(tx).toList());
          return 0;
        });
  }
}
