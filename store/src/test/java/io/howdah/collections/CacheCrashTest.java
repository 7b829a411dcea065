package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.CrashControl;
import io.howdah.testkit.CrashTest;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Blocks;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;

/**
 * A cache on a disk that loses what was not forced, cut off at any operation while entries are
 * evicted and while the bound changes: what is found is within the bound, each entry has the value
 * of its last transaction, the account is right, and no block is lost.
 */
final class CacheCrashTest {

  private static final int KEYS = 120;
  private static final int STEPS = 8;
  private static final int PUTS = 14;
  private static final int MAX_ENTRIES = 40;
  private static final int LOWER_ENTRIES = 12;
  private static final long MAX_BYTES = 8000;
  private static final int LOWERED_AFTER = 6;

  private static PersistentCache<Long, String> open(Store store, int maxEntries) {
    return store.cache(
        "cache",
        Codec.int64(),
        Codec.utf8(),
        CacheOptions.ofBytes(MAX_BYTES).withMaxEntries(maxEntries));
  }

  /** Puts and removes; what the last step puts under a key tells the step. */
  private static void step(int n, BiConsumer<Long, String> puts, Consumer<Long> removes) {
    SplittableRandom random = new SplittableRandom(n);
    for (int i = 0; i < PUTS; i++) {
      long key = random.nextInt(KEYS);
      int length = random.nextInt(1 + random.nextInt(400));
      if (random.nextInt(8) == 0) {
        removes.accept(key);
      } else {
        puts.accept(key, n + ":" + "x".repeat(length));
      }
    }
  }

  private static void step(PersistentCache<Long, String> cache, Tx tx, int n) {
    step(n, (key, value) -> cache.put(tx, key, value), key -> cache.remove(tx, key));
  }

  /** What the cache would have after so many steps if it evicted nothing. */
  private static Map<Long, String> unbounded(int steps) {
    Map<Long, String> all = new TreeMap<>();
    for (int n = 1; n <= steps; n++) {
      step(n, all::put, all::remove);
    }
    return all;
  }

  @CrashTest(units = CrashUnit.WORD, points = 10, states = 1, recoveryPoints = 1, preemptOneIn = 50)
  void theBoundIsKept(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  @Tag("campaign")
  @CrashTest(points = 60, states = 8, recoveryPoints = 1, preemptOneIn = 50)
  void soItIsAtManyMoreMoments(Storage storage, Execution execution, CrashControl crash) {
    run(storage, execution, crash);
  }

  private static void run(Storage storage, Execution execution, CrashControl crash) {
    int[] acknowledged = {0};
    crash.run(
        () -> {
          try (Store store = Store.open(TestStores.simulated(storage, execution))) {
            PersistentCache<Long, String> cache = open(store, MAX_ENTRIES);
            for (int n = 1; n <= STEPS; n++) {
              int step = n;
              store.run(TxOptions.sync(), tx -> step(cache, tx, step));
              acknowledged[0] = n;
              if (n == LOWERED_AFTER) {
                var _ = open(store, LOWER_ENTRIES);
              }
            }
          }
        });
    crash.check(machine -> check(machine, acknowledged[0]));
  }

  private static void check(Machine machine, int acknowledged) {
    try (Store store = Store.open(TestStores.simulated(machine.storage(), machine.execution()))) {
      if (!store.read(store.admin()::collections).containsKey("cache")) {
        assertThat(acknowledged).isZero();
        return;
      }
      PersistentMap<Long, String> found =
          store.admin().mapToRead("cache", Codec.int64(), Codec.utf8());
      Map<Long, String> entries =
          store.read(
              tx -> {
                Map<Long, String> all = new TreeMap<>();
                found.forEach(tx, all::put);
                return all;
              });
      assertThat(entries)
          .as("before an opening mends anything")
          .hasSizeLessThanOrEqualTo(MAX_ENTRIES);
      assertThat(entries.values().stream().mapToLong(CacheCrashTest::weight).sum())
          .isLessThanOrEqualTo(MAX_BYTES);
      if (!unbounded(acknowledged).entrySet().containsAll(entries.entrySet())) {
        assertThat(unbounded(acknowledged + 1)).containsAllEntriesOf(entries);
      }
      assertThat(store.admin().inspect().collections()).isNotEmpty(); // the account is right
      Blocks.assertNothingLeaks(store);
      PersistentCache<Long, String> cache = open(store, LOWER_ENTRIES);
      assertAccount(store, cache);
      for (int n = STEPS + 1; n < STEPS + 4; n++) {
        int step = n;
        store.run(tx -> step(cache, tx, step));
        assertAccount(store, cache);
      }
      cache.clear();
      assertAccount(store, cache);
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void assertAccount(Store store, PersistentCache<Long, String> cache) {
    store.read(
        (Tx tx) -> {
          assertThat(cache.bytes(tx))
              .isEqualTo(
                  cache
                      .entries(tx)
                      .map(Map.Entry::getValue)
                      .mapToLong(CacheCrashTest::weight)
                      .sum())
              .isLessThanOrEqualTo(MAX_BYTES);
          assertThat(cache.size(tx))
              .isEqualTo(cache.entries(tx).count())
              .isEqualTo(cache.map().eviction().bound().usedEntries(cache.map().words(tx)))
              .isLessThanOrEqualTo(LOWER_ENTRIES);
          return 0;
        });
  }

  /** A key of 8 bytes, a length of 4, the value; in the blocks that the allocator has. */
  private static long weight(String value) {
    int bytes = Long.BYTES + Integer.BYTES + value.length();
    int step = bytes <= 256 ? 16 : Integer.highestOneBit(bytes - 1) / 8;
    return 16 + (bytes + step - 1) / step * (long) step;
  }
}
